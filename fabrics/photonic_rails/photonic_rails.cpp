#include "fabrics/photonic_rails/photonic_rails.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "engine/scenario/scenario.hpp"
#include "fabrics/circuits/circuit_servers.hpp"
#include "network/circuits/rails.hpp"
#include "network/transport/nic_returns.hpp"

namespace lightrail {

namespace {

struct PhotonicRailsSpec {
  SimTime hold = microseconds(100);  ///< a circuit that was idle for this long is given up
};

Describe<PhotonicRailsSpec> table() {
  return Describe<PhotonicRailsSpec>().field(
      "hold", &PhotonicRailsSpec::hold, "a circuit is given up when nothing has left on it for this long",
      SimTime{0}, milliseconds(3'600'000));
}

void build(FabricBuild& fabric, const PhotonicRailsSpec& spec) {
  SystemBuilder& builder = fabric.builder;
  ErrorList& errors = fabric.errors();
  const auto begun = circuit_fabric(fabric);
  const auto controller =
      part_child(fabric.element, "rail-controller", "rail-controller", Need::required, builder);
  if (!begun || !controller) return;
  const CircuitServers& servers = begun->servers;
  if (servers.nics[0].size() != servers.gpus)
    return fabric.fail(
        fmt::format("<fabric kind=\"photonic-rails\"> needs a NIC for every GPU, not {} NICs for {} GPUs",
                    servers.nics[0].size(), servers.gpus));
  auto rails = std::make_shared<Rails>();
  rails->servers = static_cast<std::uint32_t>(servers.nics.size());
  rails->hold = spec.hold;
  const auto bare = read_circuit_switch(fabric.element, rails->servers,
                                        fmt::format("rails of {} servers", rails->servers), builder);
  if (!bare) return;
  if (bare->part.is_bidirectional) {
    const Attribute* both = bare->element->find("bidirectional");
    return errors.add({both->file, both->line,
                       "<ocs> attribute 'bidirectional': circuits of a photonic rail lead one way each"});
  }
  if (bare->part.darkens_all)
    return errors.add(bare->element->error(
        "<ocs> attribute 'dark': photonic rails need \"changed\", for GPUs whose circuits "
        "stay are not paused"));
  std::string ring;
  for (std::uint32_t s = 0; s < rails->servers; ++s) ring += fmt::format("{}>{} ", s, rails->next(s));
  const std::optional<Part> ocs = with_circuits(*bare, ring, builder);
  if (!ocs) return;
  check_circuit_light(fabric.element, begun->cable, *ocs, builder);
  if (fabric.has_errors()) return;
  const SimTime latency = controller->control_latency;
  for (std::uint32_t rail = 0; rail < servers.gpus; ++rail) {
    const ComponentId id = builder.add(*ocs, ocs->radix + 1, builder.prefix("ocs"), rail, builder.new_atom());
    const ComponentId control =
        builder.add(*controller, 1 + rails->servers, builder.prefix("controller"), rail, builder.new_atom());
    builder.connect_control(control, 0, id, ocs->radix, latency);
    for (std::uint32_t s = 0; s < rails->servers; ++s) {
      builder.connect(servers.nics[s][rail], 0, id, s, begun->cable);
      builder.connect_control(control, 1 + s, builder.book.component_of[s * servers.gpus + rail], 3, latency);
    }
  }
  assign_addresses(servers, fabric);
  builder.add_resource<Rails>(std::move(rails));
  builder.add_resource<NicReturns>(
      std::make_shared<NicReturns>(NicReturns{StrayTrains::to_gpu, LostTrains::from_gpu}));
}

}  // namespace

std::shared_ptr<const FabricKind> photonic_rails_kind() {
  auto kind = std::make_shared<FabricKind>();
  kind->name = "photonic-rails";
  kind->takes_storage = false;
  kind->doc =
      "NIC i of all servers on the <ocs> of rail i, with a <rail-controller> each that gives GPUs circuits "
      "when they ask (Opus).";
  kind->link_roles = {"optical"};
  kind->has_controller = [](const Element&) { return true; };
  bind_fabric(*kind, table(), build);
  return kind;
}

}  // namespace lightrail
