#include "network/health/read_degraded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/scenario/units.hpp"
#include "network/health/fault_targets.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/line_errors.hpp"

namespace lightrail {
namespace {

/// Payload of a codeword of RS(544,514) and RS(528,514) [B], for cables whose own code is not known here.
constexpr std::uint32_t codeword_bytes = 640;
/// The share of trains that may have to go again.
constexpr double most_failures = 0.9;

/// The rate that `text` makes of `full`; nothing where it is none.
std::optional<BitRate> degraded_rate(const std::string& text, BitRate full) {
  double share = 0;
  if (parse_value(text, share).empty()) {
    if (!(share > 0 && share <= 1)) return std::nullopt;
    return BitRate{std::max<std::int64_t>(1, std::llround(share * static_cast<double>(full.value)))};
  }
  BitRate rate{};
  if (!parse_value(text, rate).empty() || rate.value <= 0) return std::nullopt;
  return rate;
}

class DegradeReader {
 public:
  DegradeReader(const Model& model, ErrorList& errors) : model_(model), targets_(model), errors_(errors) {}

  void read(const Element& element) {
    const std::size_t before = errors_.size();
    DegradeSpec spec;
    degrade_parameters().parse(element, spec, errors_);
    if (errors_.size() > before) return;
    if (!element.find("rate") && !element.find("latency") && !element.find("errors"))
      return errors_.add(element.error("<degrade> changes nothing (expected rate, latency or errors)"));
    std::map<std::uint16_t, std::vector<LinkId>> links;  // by class
    for (const LinkId link : links_of(element, spec)) links[class_of(link)].push_back(link);
    for (auto& [was, own] : links) {
      std::sort(own.begin(), own.end());
      if (const auto now = degraded(element, spec, was, own.front())) all.push_back({own, was, *now});
    }
  }

  std::vector<DegradedLinks> all;

 private:
  [[nodiscard]] std::uint16_t class_of(LinkId link) const { return model_.links[link.value].link_class; }
  [[nodiscard]] bool is_optical_switch(ComponentId id) const {
    return role_of(model_, id) == DeviceRole::optical_switch;
  }
  [[nodiscard]] bool is_nvswitch(ComponentId id) const { return role_of(model_, id) == DeviceRole::nvswitch; }
  /// "leaf2:17".
  [[nodiscard]] std::string name_of(LinkId link) const {
    return fmt::format("{}:{}", model_.component_name(model_.links[link.value].from),
                       model_.links[link.value].from_port);
  }

  void complain(const Element& element, const char* name, const std::string& problem) {
    const Attribute* at = element.find(name);
    errors_.add({at->file, at->line, fmt::format("<degrade> attribute '{}': {}", name, problem)});
  }

  /// Nothing, and an error, where one of them cannot be degraded.
  std::vector<LinkId> links_of(const Element& element, const DegradeSpec& spec) {
    std::vector<FaultTarget> found;
    if (const std::string problem = targets_.find(spec.link, found); !problem.empty()) {
      complain(element, "link", problem);
      return {};
    }
    std::set<LinkId> links;
    for (const FaultTarget& target : found)
      for (const LinkId out : targets_.cables(target)) {
        if (spec.way != DegradedWay::in) links.insert(out);
        if (spec.way != DegradedWay::out) links.insert(LinkId{out.value ^ 1});
      }
    for (const LinkId link : links) {
      const LinkRecord& record = model_.links[link.value];
      if (is_optical_switch(record.from) || is_optical_switch(record.to)) {
        complain(element, "link",
                 fmt::format("{} is at an optical switch, whose losses say how good its paths are",
                             name_of(link)));
        return {};
      }
      if (is_nvswitch(record.from) || is_nvswitch(record.to)) {
        complain(element, "link", fmt::format("{} is an NVLink, which cannot be degraded", name_of(link)));
        return {};
      }
      if (!taken_.insert(link).second) {
        complain(element, "link", fmt::format("{} is degraded twice", name_of(link)));
        return {};
      }
    }
    return {links.begin(), links.end()};
  }

  /// `example`: one of the links.
  std::optional<LinkClass> degraded(const Element& element, const DegradeSpec& spec, std::uint16_t was,
                                    LinkId example) {
    LinkClass now = model_.link_classes[was];
    const std::optional<BitRate> rate =
        element.find("rate") ? degraded_rate(spec.rate, now.rate) : std::optional(now.rate);
    if (!rate || *rate > now.rate) {
      complain(element, "rate",
               rate
                   ? fmt::format("'{}' is more than the {} of {}", spec.rate, format_value(now.rate),
                                 name_of(example))
                   : fmt::format("'{}' is neither a share above 0 and at most 1 nor a rate, such as 100 Gb/s",
                                 spec.rate));
      return std::nullopt;
    }
    now.rate = *rate;
    now.latency += spec.latency;
    now.name += " (degraded)";
    if (spec.errors > 0) {
      LinkLight& light = now.light;
      if (light.codeword_bytes == 0) light.codeword_bytes = codeword_bytes;
      light.codeword_failure += spec.errors - light.codeword_failure * spec.errors;
      const std::uint32_t train_bytes = now.mtu_bytes * now.grain;
      const double failures = train_failure(light.codeword_failure, light.codeword_bytes, train_bytes);
      if (failures > most_failures) {
        complain(element, "errors",
                 fmt::format("{:.1f} % of the trains of {} B would fail on {} ({:.0f} % at most)",
                             100 * failures, train_bytes, name_of(example), 100 * most_failures));
        return std::nullopt;
      }
    }
    return now;
  }

  const Model& model_;
  FaultTargets targets_;
  ErrorList& errors_;
  std::set<LinkId> taken_;
};

}  // namespace

Describe<DegradeSpec> degrade_parameters() {
  return Describe<DegradeSpec>()
      .required("link", &DegradeSpec::link,
                "cables at ports, as nic3:0, leaf2:17 or leaf*:*, or all of a component, as nic3")
      .field("rate", &DegradeSpec::rate, "what is left of the payload rate: a share, or a rate")
      .field("latency", &DegradeSpec::latency, "added to the link's", SimTime{0}, milliseconds(1000))
      .field(
          "errors", &DegradeSpec::errors,
          "probability that FEC cannot correct a codeword (640 B), added to the link's; the train goes again",
          0.0, 0.9)
      .choice("direction", &DegradeSpec::way, "seen from the end that is named",
              {{"both", DegradedWay::both}, {"out", DegradedWay::out}, {"in", DegradedWay::in}});
}

std::vector<DegradedLinks> read_degraded(const Element& root, const Model& model, ErrorList& errors) {
  const Element* faults = root.child("faults");
  const auto degrades = faults ? faults->children_named("degrade") : std::vector<const Element*>{};
  if (degrades.empty()) return {};
  DegradeReader reader(model, errors);
  for (const Element* element : degrades) reader.read(*element);
  return std::move(reader.all);
}

}  // namespace lightrail
