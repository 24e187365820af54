#include "app/cli/check_components.hpp"

#include <cstdint>
#include <set>
#include <vector>

#include "engine/model/kind.hpp"
#include "engine/model/spec_places.hpp"

namespace lightrail {
namespace {

/// What a component's constructor can see of its surroundings.
std::vector<std::uint32_t> surroundings(const ComponentRecord& record, const Model& model) {
  std::vector<std::uint32_t> all{record.kind, record.spec, record.port_count};
  for (std::uint32_t p = 0; p < record.port_count; ++p) {
    const LinkId out = model.ports[record.first_port + p].out;
    if (!out.is_valid()) {
      all.push_back(UINT32_MAX);
      continue;
    }
    const LinkRecord &to = model.links[out.value], &from = model.links[out.value ^ 1];
    all.insert(all.end(), {to.link_class, from.link_class, model.components[to.to.value].spec});
  }
  return all;
}

InputError placed(const InputError& problem, std::uint32_t spec, const Model& model) {
  const auto* known = model.resource<SpecPlaces>();
  if (!problem.file.empty() || !known) return problem;
  const InputError& place = known->places.at(spec);
  return {place.file, place.line, problem.what};
}

}  // namespace

void check_components(const Model& model, ErrorList& errors) {
  std::set<std::vector<std::uint32_t>> seen;
  std::set<std::uint32_t> refused;
  for (std::uint32_t id = 0; id < model.components.size(); ++id) {
    const ComponentRecord& record = model.components[id];
    if (refused.count(record.spec) || !seen.insert(surroundings(record, model)).second) continue;
    try {
      model.kinds[record.kind]->make({ComponentId{id}, record, *model.specs[record.spec], model});
    } catch (const InputErrors& problems) {
      for (const InputError& problem : problems.errors()) errors.add(placed(problem, record.spec, model));
      refused.insert(record.spec);
    }
  }
}

}  // namespace lightrail
