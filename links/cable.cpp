#include "links/cable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/require_together.hpp"
#include "links/electrical/electrical_spec.hpp"
#include "links/optical/light_budget.hpp"

namespace lightrail {

namespace {

/// Parses the element with its table; the attributes' places become the sources of the effective values.
template <class XSpec>
XSpec parse(const Describe<XSpec>& table, const Element& element, Cable& cable, const std::string& prefix,
            ErrorList& errors) {
  XSpec spec;
  table.parse(element, spec, errors);
  for (ParameterValue value : table.values(spec)) {
    const Attribute* attribute = element.find(value.name);
    value.source = attribute ? fmt::format("{}:{}", attribute->file, attribute->line) : "default";
    value.name = prefix + value.name;
    cable.values.push_back(std::move(value));
  }
  return spec;
}

void read_electrical(const Element& link, Cable& cable, ErrorList& errors) {
  const auto spec = parse(electrical_table(), link, cable, "", errors);
  require_together(link, {{"fec-interleave", "fec"}, {"fec-decode", "fec"}}, errors);
  cable.rate = spec.payload_rate();
  cable.propagation = spec.propagation();
  if (spec.rate.value > 0) cable.receive = spec.receive_latency();
  cable.energy_pj_per_bit = spec.energy_pj_per_bit;
}

void read_nvlink(const Element& link, Cable& cable, ErrorList& errors) {
  const auto spec = parse(nvlink_table(), link, cable, "", errors);
  cable.rate = spec.payload_rate();
  cable.propagation = spec.latency;
  cable.energy_pj_per_bit = spec.energy_pj_per_bit;
}

void read_pcie(const Element& link, Cable& cable, ErrorList& errors) {
  const auto spec = parse(pcie_table(), link, cable, "", errors);
  cable.rate = spec.payload_rate();
  cable.propagation = spec.latency;
  cable.energy_pj_per_bit = spec.energy_pj_per_bit;
}

void read_optical(const Element& link, Cable& cable, ErrorList& errors) {
  auto spec = std::make_shared<OpticalSpec>(parse(optical_table(), link, cable, "", errors));
  require_together(
      link, {{"flap-time", "flap-interval"}, {"circulator-loss", "circulators"}, {"splice-loss", "splices"}},
      errors);
  if (!spec->replay) refuse_without(link, {"replay-turnaround"}, "replay=\"on\"", errors);
  if (const Attribute* fec = link.find("fec"); fec && spec->fec != Fec::rs_544_514)
    errors.add({fec->file, fec->line,
                fmt::format("<link> attribute 'fec': '{}' on an optical link (expected rs-544-514: its bit "
                            "errors are known for PAM4 with that code alone)",
                            fec->value)});
  const Element* transceiver = link.child("transceiver");
  if (!transceiver) {
    errors.add(link.error("<link> of kind 'optical' lacks a <transceiver>"));
    return;
  }
  spec->transceiver = parse(transceiver_table(), *transceiver, cable, "transceiver.", errors);
  if (spec->rate.value <= 0) return;
  cable.rate = spec->payload_rate();
  cable.transmit = spec->transmit_latency();
  cable.propagation = spec->propagation();
  cable.receive = spec->receive_latency();
  cable.energy_pj_per_bit = spec->energy_pj_per_bit();
  cable.optics = std::move(spec);
}

template <auto& table>
std::vector<ParameterDoc> documentation() {
  return table().documentation();
}

/// What <link kind=""> may say, and what follows from it.
struct LinkKind {
  const char* name;
  void (*read)(const Element& link, Cable& cable, ErrorList& errors);
  std::vector<ParameterDoc> (*documentation)();
  std::uint32_t TrainSettings::*grain;  ///< packets of a train
};

constexpr std::array<LinkKind, 4> kinds{{
    {"electrical", read_electrical, documentation<electrical_table>, &TrainSettings::grain},
    {"optical", read_optical, documentation<optical_table>, &TrainSettings::grain},
    {"nvlink", read_nvlink, documentation<nvlink_table>, &TrainSettings::nvlink_grain},
    {"pcie", read_pcie, documentation<pcie_table>, &TrainSettings::grain},
}};

/// Null when there is none of that name.
const LinkKind* find_kind(const std::string& name) {
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const LinkKind& k) { return k.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> all;
  for (const LinkKind& kind : kinds) all.emplace_back(kind.name);
  return all;
}

}  // namespace

Cable read_cable(const Element& link, ErrorList& errors) {
  Cable cable;
  cable.place = link.error("");
  const Attribute* kind = link.find("kind");
  if (!kind) {
    errors.add(link.error("<link> lacks the required attribute 'kind'"));
    return cable;
  }
  cable.medium = kind->value;
  const std::string& entry = link.catalogue;
  cable.name = entry.empty() ? kind->value : entry.substr(entry.rfind('/') + 1);
  if (const LinkKind* found = find_kind(kind->value))
    found->read(link, cable, errors);
  else
    errors.add(
        {kind->file, kind->line, "<link> attribute 'kind': " + invalid_choice(kind->value, kind_names())});
  return cable;
}

namespace {

/// What components need of a cable's light. Up to an optical switch, or from it on, one half of a budget
/// each: the switch joins the halves.
LinkLight light_of(const Cable& cable, bool sends, bool receives) {
  const OpticalSpec& optics = *cable.optics;
  const LightBudget budget = light_budget(cable.name, {{&optics, "", Decibel{0.0}}});
  LinkLight light;
  light.codeword_bytes = static_cast<std::uint32_t>(fec_payload(optics.fec).value);
  light.burst_bits = optics.burst_bits;
  light.has_replay = optics.replay;
  light.replay_latency = optics.replay_latency();
  light.retraining = optics.transceiver.retraining;
  light.flap_interval = optics.flap_interval;
  light.flap_time = optics.flap_time;
  if (sends && receives) {
    light.codeword_failure = budget.failure();
  } else if (sends) {
    light.level_dbm = budget.lines.back().after.value;
  } else if (receives) {
    // The allowances at the head of the budget are the sender's.
    double fibre = 0;
    for (std::size_t i = 2; i < budget.lines.size(); ++i) fibre += budget.lines[i].loss.value;
    light.needed_dbm = optics.transceiver.sensitivity.value + fibre;
  }
  return light;
}

}  // namespace

LinkClass evaluate(const Cable& cable, CableEnds ends, SimTime arrival, const TrainSettings& trains) {
  LinkClass link;
  link.name = cable.name;
  link.medium = cable.medium;
  link.rate = cable.rate;
  const bool sends = ends == CableEnds::both || ends == CableEnds::to_ocs;
  const bool receives = ends == CableEnds::both || ends == CableEnds::from_ocs;
  link.latency = cable.propagation + arrival;
  if (sends) link.latency += cable.transmit;
  if (receives) link.latency += cable.receive;
  link.latency = std::max(link.latency, SimTime{1});
  link.mtu_bytes = static_cast<std::uint32_t>(trains.mtu.value);
  const LinkKind* kind = find_kind(cable.medium);
  link.grain = kind ? trains.*kind->grain : trains.grain;
  if (cable.optics) link.light = light_of(cable, sends, receives);
  // Half of a cable's energy is spent at each end.
  link.energy_pj_per_bit = cable.energy_pj_per_bit * (sends + receives) / 2;
  return link;
}

LinkClass evaluate(const Element& link, const TrainSettings& trains, ErrorList& errors) {
  const Cable cable = read_cable(link, errors);
  if (cable.optics)
    check_budget(light_budget(cable.name, {{cable.optics.get(), "", Decibel{0.0}}}), cable.place, errors);
  return evaluate(cable, CableEnds::both, SimTime{0}, trains);
}

namespace {

/// One table for <link>: each parameter once, with the kinds that have it.
std::vector<ParameterDoc> merged_parameters() {
  std::vector<ParameterDoc> merged;
  const auto attribute = [&](const char* name, const char* doc) {
    ParameterDoc parameter;
    parameter.name = name;
    parameter.type = "text";
    parameter.doc = doc;
    merged.push_back(parameter);
  };
  attribute("kind", "what the link is made of");
  merged.back().choices = kind_names();
  attribute("role", "in <server>, <storage>, <fabric>: which cables it describes");
  attribute("from", "in <graph>: component:port");
  attribute("to", "in <graph>: component:port");
  const auto add = [&](const char* kind, std::vector<ParameterDoc> parameters) {
    for (ParameterDoc& parameter : parameters) {
      const std::string use = std::string(kind) + (parameter.is_required ? " (required)" : "");
      const auto same = std::find_if(merged.begin(), merged.end(),
                                     [&](const ParameterDoc& known) { return known.name == parameter.name; });
      if (same != merged.end()) {
        same->doc = use + ", " + same->doc;
        continue;
      }
      parameter.doc = use + ": " + parameter.doc;
      parameter.is_required = false;
      merged.push_back(std::move(parameter));
    }
  };
  for (const LinkKind& kind : kinds) add(kind.name, kind.documentation());
  return merged;
}

}  // namespace

std::vector<std::pair<std::string, std::vector<ParameterDoc>>> link_documentation() {
  return {{"link", merged_parameters()},
          {"transceiver", transceiver_table().documentation()},
          {"network", train_settings_table().documentation()}};
}

}  // namespace lightrail
