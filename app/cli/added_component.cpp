#include "app/cli/added_component.hpp"

#include <algorithm>
#include <utility>

namespace lightrail {

ComponentId add_component(Model& model, std::shared_ptr<const ComponentKind> kind,
                          std::shared_ptr<const Spec> spec, std::string name, std::uint16_t ports) {
  const ComponentId id{static_cast<std::uint32_t>(model.components.size())};
  ComponentRecord record;
  record.first_port = static_cast<std::uint32_t>(model.ports.size());
  record.port_count = ports;
  const auto known = std::find(model.kinds.begin(), model.kinds.end(), kind);
  record.kind = static_cast<std::uint16_t>(known - model.kinds.begin());
  if (known == model.kinds.end()) model.kinds.push_back(std::move(kind));
  record.spec = static_cast<std::uint32_t>(model.specs.size());
  record.atom = AtomId{model.atom_count++};
  record.name_prefix = static_cast<std::uint32_t>(model.name_prefixes.size());
  record.number = ComponentId::none;
  model.name_prefixes.push_back(std::move(name));
  model.specs.push_back(std::move(spec));
  model.components.push_back(record);
  model.ports.resize(model.ports.size() + ports);
  return id;
}

void join_ports(Model& model, ModelPort a, ModelPort b, std::uint16_t there, std::uint16_t back) {
  const LinkId forth{static_cast<std::uint32_t>(model.links.size())};
  model.links.push_back({a.component, b.component, a.port, b.port, there});
  model.links.push_back({b.component, a.component, b.port, a.port, back});
  model.ports[model.components[a.component.value].first_port + a.port].out = forth;
  model.ports[model.components[b.component.value].first_port + b.port].out = LinkId{forth.value + 1};
}

}  // namespace lightrail
