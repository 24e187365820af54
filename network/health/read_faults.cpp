#include "network/health/read_faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/scenario/units.hpp"
#include "network/health/drawn_outages.hpp"
#include "network/health/fault_targets.hpp"
#include "network/health/port_outages.hpp"
#include "network/port/device_traits.hpp"

namespace lightrail {
namespace {

/// Failures that a scenario may draw in all.
constexpr double max_drawn = 1e6;

/// Reads the children of <faults>.
class FaultReader {
 public:
  FaultReader(const Model& model, ErrorList& errors) : model_(model), targets_(model), errors_(errors) {}

  void read_fault(const Element& element) {
    const std::size_t before = errors_.size();
    FaultSpec fault;
    fault_parameters().parse(element, fault, errors_);
    if (errors_.size() > before) return;
    const Outage outage = span_of(fault.at, fault.length);
    for (const FaultTarget& target : targets_of(element, fault.what)) targets_.add(target, outage, effects);
  }

  void read_throttle(const Element& element) {
    const std::size_t before = errors_.size();
    ThrottleSpec throttle;
    throttle_parameters().parse(element, throttle, errors_);
    if (errors_.size() > before) return;
    const std::int64_t lost = all_speed - std::llround(throttle.speed * static_cast<double>(all_speed));
    const Outage span = span_of(throttle.at, throttle.length);
    for (const FaultTarget& target : targets_of(element, throttle.what)) {
      const std::vector<ComponentId> gpus = targets_.gpus(target.device);
      if (target.port || target.chip || gpus.empty())
        return errors_.add(element.error_at(
            "what",
            fmt::format("<throttle> attribute 'what': '{}' is no GPU, and no host or NVSwitch with GPUs",
                        targets_.name_of(target))));
      for (const ComponentId gpu : gpus) effects.gpus[gpu].push_back({span, lost});
    }
  }

  void read_rate(const Element& element) {
    const std::uint32_t index = rates_++;
    const std::size_t before = errors_.size();
    RateSpec spec;
    rate_parameters().parse(element, spec, errors_);
    if (errors_.size() > before) return;
    const FaultRate rate{spec.mtbf_hours, spec.repair, spec.until};
    const std::vector<FaultTarget> found = targets_of(element, spec.what);
    drawn_ += static_cast<double>(found.size()) * expected_outages(rate);
    if (drawn_ > max_drawn)
      return errors_.add(
          element.error(fmt::format("<rate>: about {:.1e} failures would be drawn until {} ({:.0f} at most; "
                                    "a greater mtbf-hours, or an "
                                    "earlier until)",
                                    drawn_, format_value(rate.until), max_drawn)));
    for (const FaultTarget& target : found)
      for (const Outage& outage : draw_outages(rate, model_.seed, targets_.name_of(target), index))
        targets_.add(target, outage, effects);
  }

  /// How ports of optical switches change; `own` is what the devices say of theirs.
  [[nodiscard]] HealthTable::PortChanges port_changes(HealthTable::PortChanges own) const {
    for (const auto& [device, outages_of_ports] : effects.ports)
      own[device] = changes_of(outages_of_ports, std::move(own[device]), targets_.port_count(device));
    return own;
  }

  FaultEffects effects;

 private:
  [[nodiscard]] static Outage span_of(SimTime at, SimTime length) {
    return {at, length > time_never - at ? time_never : at + length};
  }
  std::vector<FaultTarget> targets_of(const Element& element, const std::string& name) {
    std::vector<FaultTarget> found;
    const std::string problem = targets_.find(name, found);
    const Attribute* what = element.find("what");
    if (!problem.empty())
      errors_.add({what->file, what->line, fmt::format("<{}> attribute 'what': {}", element.name, problem)});
    return found;
  }

  const Model& model_;
  FaultTargets targets_;
  ErrorList& errors_;
  std::uint32_t rates_ = 0;
  double drawn_ = 0;
};

/// What the devices themselves say of their ports. Only specs are looked at where none says anything.
HealthTable::PortChanges changes_of_devices(const Model& model) {
  const auto changes_of = [](const Spec& spec) -> std::span<const PortChange> {
    const auto* optical = dynamic_cast<const OpticalSwitchTraits*>(&spec);
    return optical ? optical->port_changes() : std::span<const PortChange>{};
  };
  HealthTable::PortChanges all;
  if (std::none_of(model.specs.begin(), model.specs.end(),
                   [&](const auto& spec) { return !changes_of(*spec).empty(); }))
    return all;
  for (std::uint32_t id = 0; id < model.components.size(); ++id)
    if (const auto own = changes_of(*model.specs[model.components[id].spec]); !own.empty())
      all[ComponentId{id}].assign(own.begin(), own.end());
  return all;
}

}  // namespace

Describe<FaultsSpec> faults_parameters() {
  const SimTime day = milliseconds(86'400'000);
  return Describe<FaultsSpec>()
      .field("detection", &FaultsSpec::detection,
             "until who sends through a link knows that it is down, or up again (default: the delay after "
             "which NCCL starts to recover)",
             SimTime{0}, day)
      .field("reconvergence", &FaultsSpec::reconvergence,
             "until static routes avoid it (default: one sweep of OpenSM); adaptive routing knows its own "
             "ports at once",
             SimTime{0}, day)
      .field("collective-timeout", &FaultsSpec::collective_timeout,
             "a collective, send or receive that takes longer ends the job (default: PyTorch's for NCCL)",
             SimTime{1}, day);
}

Describe<FaultSpec> fault_parameters() {
  return Describe<FaultSpec>()
      .required("at", &FaultSpec::at, "when it begins", SimTime{0}, time_never)
      .field("for", &FaultSpec::length, "how long it lasts (default: to the end)", SimTime{1}, time_never)
      .required("what", &FaultSpec::what,
                "components, as nic3, gpu5 or nic*, cables at their ports, as leaf2:17, ports of an "
                "optical switch, or chips of an NVSwitch with plane-hash=\"flow\", as nvswitch0/2");
}

Describe<ThrottleSpec> throttle_parameters() {
  return Describe<ThrottleSpec>()
      .required("at", &ThrottleSpec::at, "when it begins", SimTime{0}, time_never)
      .field("for", &ThrottleSpec::length, "how long it lasts (default: to the end)", SimTime{1}, time_never)
      .required("speed", &ThrottleSpec::speed, "what is left of the speed of its kernels", 0.000001, 0.999999)
      .required("what", &ThrottleSpec::what, "GPUs, as gpu5 or gpu*; a host or NVSwitch: all GPUs at it");
}

Describe<RateSpec> rate_parameters() {
  return Describe<RateSpec>()
      .required(
          "what", &RateSpec::what,
          "components, as nic* or leaf2, cables at ports, as leaf*:0 or leaf2:*, or chips, as nvswitch*/*: "
          "each fails by itself")
      .required("mtbf-hours", &RateSpec::mtbf_hours,
                "mean time that one of them works until it fails, exponential [h]", 1e-12, 1e12)
      .field("repair", &RateSpec::repair, "how long each failure lasts (default: to the end)", SimTime{1},
             time_never)
      .field("until", &RateSpec::until, "failures are drawn up to that simulated time", SimTime{1},
             time_never);
}

HealthTable health_of(const Model& model) {
  return {{}, {}, changes_of_devices(model)};
}

HealthTable read_faults(const Element& root, const Model& model, ErrorList& errors) {
  const Element* element = root.child("faults");
  if (!element) return health_of(model);
  FaultsSpec settings;
  faults_parameters().parse(*element, settings, errors);
  FaultReader reader(model, errors);
  for (const Element* child : element->children_named("fault")) reader.read_fault(*child);
  for (const Element* child : element->children_named("throttle")) reader.read_throttle(*child);
  for (const Element* child : element->children_named("rate")) reader.read_rate(*child);
  return {{settings.detection, settings.reconvergence, settings.collective_timeout},
          std::move(reader.effects.links),
          reader.port_changes(changes_of_devices(model)),
          reader.effects.gpus};
}

}  // namespace lightrail
