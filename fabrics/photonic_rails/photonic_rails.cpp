#include "fabrics/photonic_rails/photonic_rails.hpp"

#include <fmt/format.h>

#include "engine/scenario/scenario.hpp"
#include "fabrics/circuits/circuit_servers.hpp"
#include "network/circuits/rails.hpp"

namespace lightrail {

void build_photonic_rails(const Element& fabric, const FabricSpec& spec, const std::vector<NicPlace>& nics,
                          SystemBuilder& builder, FabricCounter& counter) {
  ErrorList& errors = builder.errors();
  const std::size_t before = errors.size();
  const auto begun = circuit_fabric(fabric, nics, builder);
  const auto controller = part_child(fabric, "rail-controller", "rail-controller", Need::required, builder);
  if (!begun || !controller) return;
  const CircuitServers& servers = begun->servers;
  if (servers.nics[0].size() != servers.gpus)
    return errors.add(fabric.error(
        fmt::format("<fabric kind=\"photonic-rails\"> needs a NIC for every GPU, not {} NICs for {} GPUs",
                    servers.nics[0].size(), servers.gpus)));
  auto rails = std::make_shared<Rails>();
  rails->servers = static_cast<std::uint32_t>(servers.nics.size());
  rails->hold = spec.hold;
  if (const Element* ocs = fabric.child("ocs"))
    if (const Attribute* both = ocs->find("bidirectional"))
      if (bool is_on = false; parse_value(both->value, is_on).empty() && is_on)
        return errors.add({both->file, both->line,
                           "<ocs> attribute 'bidirectional': circuits of a photonic rail lead one way each"});
  std::string ring;
  for (std::uint32_t s = 0; s < rails->servers; ++s) ring += fmt::format("{}>{} ", s, rails->next(s));
  const std::optional<Part> ocs = circuit_switch(fabric, ring, rails->servers,
                                                 fmt::format("rails of {} servers", rails->servers), builder);
  if (!ocs) return;
  const Element* element = fabric.children_named("ocs").front();
  if (const Attribute* dark = element->find("dark"); dark && dark->value == "all")
    return errors.add(
        element->error("<ocs> attribute 'dark': photonic rails need \"changed\", for GPUs whose circuits "
                       "stay are not paused"));
  check_circuit_light(fabric, begun->cable, *ocs, builder);
  if (errors.size() > before) return;
  const SimTime latency = builder.latency_of(*controller);
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
  give_addresses(servers, builder, counter);
  builder.model().set_resource<Rails>(std::move(rails));
}

}  // namespace lightrail
