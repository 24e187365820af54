#include "engine/model/sub_model.hpp"

#include <cstddef>
#include <cstdint>

#include "engine/base/error.hpp"

namespace lightrail {
namespace {

/// What is no list of components, ports or links.
Model shared_tables(const Model& whole) {
  Model part;
  part.link_classes = whole.link_classes;
  part.name_prefixes = whole.name_prefixes;
  part.names = whole.names;
  part.dimensions = whole.dimensions;
  part.parameters = whole.parameters;
  part.remarks = whole.remarks;
  part.kinds = whole.kinds;
  part.specs = whole.specs;
  part.seed = whole.seed;
  part.tables = whole.tables;
  return part;
}

}  // namespace

SubModel sub_model(const Model& whole, const std::vector<Kept>& kept) {
  LIGHTRAIL_EXPECT(kept.size() == whole.components.size());
  SubModel sub{shared_tables(whole), std::vector<ComponentId>(whole.components.size())};
  Model& part = sub.model;
  std::vector<AtomId> atom(whole.atom_count);
  for (std::size_t c = 0; c < whole.components.size(); ++c) {
    if (!kept[c].is_kept) continue;
    ComponentRecord record = whole.components[c];
    sub.component[c] = ComponentId{static_cast<std::uint32_t>(part.components.size())};
    if (!atom[record.atom.value].is_valid()) atom[record.atom.value] = AtomId{part.atom_count++};
    record.atom = atom[record.atom.value];
    record.first_port = static_cast<std::uint32_t>(part.ports.size());
    record.port_count = static_cast<std::uint16_t>(record.port_count + kept[c].spare_ports);
    part.ports.resize(part.ports.size() + record.port_count);
    part.components.push_back(record);
  }
  for (LinkRecord link : whole.links) {
    link.from = sub.component[link.from.value];
    link.to = sub.component[link.to.value];
    if (!link.from.is_valid() || !link.to.is_valid()) continue;
    part.ports[part.components[link.from.value].first_port + link.from_port].out =
        LinkId{static_cast<std::uint32_t>(part.links.size())};
    part.links.push_back(link);
  }
  return sub;
}

}  // namespace lightrail
