#include "tests/support/test_model.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace lightrail::test {
namespace {

template <class T>
std::size_t index_of(std::vector<T>& all, const T& value) {
  const auto it = std::find(all.begin(), all.end(), value);
  if (it != all.end()) return static_cast<std::size_t>(it - all.begin());
  all.push_back(value);
  return all.size() - 1;
}

}  // namespace

ComponentId TestModel::add(std::shared_ptr<const ComponentKind> kind, std::shared_ptr<const Spec> spec,
                           std::uint32_t atom) {
  ComponentRecord record;
  record.name_prefix = static_cast<std::uint32_t>(index_of(model_.name_prefixes, kind->name));
  record.kind = static_cast<std::uint16_t>(index_of(model_.kinds, kind));
  record.spec = static_cast<std::uint32_t>(index_of(model_.specs, spec));
  record.atom = AtomId{atom};
  record.number = static_cast<std::uint32_t>(model_.components.size());
  atoms_ = std::max(atoms_, atom + 1);
  model_.components.push_back(record);
  return ComponentId{record.number};
}

void TestModel::connect(ComponentId a, ComponentId b, SimTime latency, BitRate rate) {
  std::size_t c = 0;
  while (c < model_.link_classes.size() &&
         (model_.link_classes[c].latency != latency || model_.link_classes[c].rate != rate))
    ++c;
  if (c == model_.link_classes.size()) {
    LinkClass link_class;
    link_class.name = "class" + std::to_string(c);
    link_class.latency = latency;
    link_class.rate = rate;
    model_.link_classes.push_back(link_class);
  }
  const auto link_class = static_cast<std::uint16_t>(c);
  const PortIndex port_a = model_.components[a.value].port_count++;
  const PortIndex port_b = model_.components[b.value].port_count++;
  model_.links.push_back({a, b, port_a, port_b, link_class});
  model_.links.push_back({b, a, port_b, port_a, link_class});
}

Model TestModel::build(std::uint64_t seed) {
  std::uint32_t ports = 0;
  for (ComponentRecord& c : model_.components) {
    c.first_port = ports;
    ports += c.port_count;
  }
  model_.ports.resize(ports);
  for (std::uint32_t l = 0; l < model_.links.size(); ++l) {
    const LinkRecord& link = model_.links[l];
    model_.ports[model_.components[link.from.value].first_port + link.from_port].out = LinkId{l};
  }
  model_.atom_count = atoms_;
  model_.seed = seed;
  return model_;
}

}  // namespace lightrail::test
