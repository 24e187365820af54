#include "components/ocs/ocs_spec.hpp"

#include <fmt/format.h>

#include <memory>

#include "engine/model/kind.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {
namespace {

Describe<PortChange> fault_table(std::uint32_t ports) {
  return Describe<PortChange>()
      .required("at", &PortChange::at, "when", SimTime{0}, time_never)
      .field("port", &PortChange::port, "which port; absent: the whole switch", 0u, ports - 1)
      .choice("kind", &PortChange::state, "what happens",
              {{"failed", PortState::failed}, {"stuck", PortState::stuck}, {"repaired", PortState::works}});
}

}  // namespace

std::vector<PortChange> parse_faults(const Element& element, std::uint32_t ports, ErrorList& errors) {
  std::vector<PortChange> all;
  for (const Element* fault : element.children_named("fault")) {
    PortChange change;
    fault_table(ports).parse(*fault, change, errors);
    if (!all.empty() && change.at < all.back().at)
      errors.add(fault->error(fmt::format("<fault> at {} comes after one at {}: order them by time",
                                          format_value(change.at), format_value(all.back().at))));
    all.push_back(change);
  }
  return all;
}

Describe<OcsSpec> ocs_table() {
  using S = OcsSpec;
  const Decibel none{0}, most{60};
  const SimTime hour = milliseconds(3'600'000);
  return Describe<S>()
      .field("ports", &S::ports, "number of ports", 1u, 65000u)
      .field("bidirectional", &S::bidirectional,
             "a port's circuit carries both directions (with circulators on the links); else one each")
      .field("dark-time", &S::dark_time, "from a reconfiguration to light on the circuits it adds",
             SimTime{0}, hour)
      .choice("dark", &S::dark, "which circuits are dark then: those that are added, or all",
              {{"changed", DarkScope::changed}, {"all", DarkScope::all}})
      .field("serial", &S::serial, "circuits are switched one after the other, dark-time each")
      .field("control-latency", &S::control_latency, "from a controller's command to the switching",
             SimTime{0}, hour)
      .field("control-per-circuit", &S::control_per_circuit, "on top, for each circuit that is added",
             SimTime{0}, hour)
      .field("control-jitter", &S::control_jitter, "mean of an exponential delay on top", SimTime{0}, hour)
      .field("insertion-loss", &S::insertion_loss, "loss of a path, counted in the light budget", none, most)
      .field("loss-spread", &S::loss_spread, "standard deviation of the loss from path to path", none, most)
      .field("drift-spread", &S::drift_spread,
             "standard deviation of what age and temperature add at each port", none, most)
      .field("circuits", &S::circuits, "circuits at the start: '0-4 1-5' both ways, '0>4' one way")
      .field("power", &S::power, "electrical power, for the power table; 0: not known", Watts{0}, Watts{1e6});
}

std::shared_ptr<const Spec> make_ocs_spec(const Element& element, ErrorList& errors) {
  auto spec = std::make_shared<OcsSpec>();
  const std::size_t before = errors.size();
  ocs_table().parse(element, *spec, errors);
  if (errors.size() > before) return spec;
  const Attribute* circuits = element.find("circuits");
  if (std::string problem = CircuitTable::parse(spec->circuits, spec->ports, spec->first); !problem.empty())
    errors.add({circuits->file, circuits->line, "<ocs> attribute 'circuits': " + problem});
  spec->schedule = parse_schedule(element, spec->ports, errors);
  spec->faults = parse_faults(element, spec->ports, errors);
  if (!spec->bidirectional) return spec;
  auto check = [&](const CircuitTable& table) {
    if (const PortIndex port = table.one_way_port(); port != CircuitTable::dark)
      errors.add(element.error(
          fmt::format("a bidirectional <ocs> cannot join port {} to {} one way only (write {}-{})", port,
                      table.out(port), port, table.out(port))));
  };
  check(spec->first);
  for (const Reconfiguration& change : spec->schedule) check(change.table);
  return spec;
}

}  // namespace lightrail
