#include "engine/partition/atom_graph.hpp"

#include <algorithm>
#include <limits>

#include "engine/base/error.hpp"
#include "engine/model/kind.hpp"

namespace lightrail {
namespace {

struct Edge {
  std::uint32_t from, to;
  std::int64_t traffic;
};

std::int32_t clamp_to_int32(std::int64_t value) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, 1, 1'000'000));
}

/// Both directions of every link between two atoms; parallel links merged.
std::vector<Edge> collect_edges(const Model& model) {
  std::vector<Edge> edges;
  for (const LinkRecord& link : model.links) {
    const AtomId from = model.components[link.from.value].atom, to = model.components[link.to.value].atom;
    if (from == to) continue;
    const std::int64_t traffic = 1 + model.link_classes[link.link_class].rate.value / 1'000'000'000;
    edges.push_back({from.value, to.value, traffic});
    edges.push_back({to.value, from.value, traffic});
  }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& x, const Edge& y) { return x.from != y.from ? x.from < y.from : x.to < y.to; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (kept > 0 && edges[kept - 1].from == edges[i].from && edges[kept - 1].to == edges[i].to)
      edges[kept - 1].traffic += edges[i].traffic;
    else
      edges[kept++] = edges[i];
  }
  edges.resize(kept);
  return edges;
}

}  // namespace

std::vector<std::int32_t> atom_weights(const Model& model) {
  std::vector<std::int64_t> weight(model.atom_count, 0);
  for (const ComponentRecord& component : model.components) {
    std::int64_t work = model.kinds[component.kind]->weight;
    for (std::uint32_t p = 0; p < component.port_count; ++p)
      work += model.ports[component.first_port + p].out.is_valid();
    weight[component.atom.value] += work;
  }
  std::vector<std::int32_t> clamped;
  for (auto w : weight) clamped.push_back(clamp_to_int32(w));
  return clamped;
}

AtomGraph make_atom_graph(const Model& model) {
  AtomGraph graph;
  graph.weight = atom_weights(model);
  const std::vector<Edge> edges = collect_edges(model);
  LIGHTRAIL_EXPECT(edges.size() <= std::numeric_limits<std::int32_t>::max());
  graph.first.assign(model.atom_count + 1, 0);
  for (const Edge& edge : edges) {
    ++graph.first[edge.from + 1];
    graph.to.push_back(static_cast<std::int32_t>(edge.to));
    graph.traffic.push_back(clamp_to_int32(edge.traffic));
  }
  for (std::uint32_t a = 0; a < model.atom_count; ++a) graph.first[a + 1] += graph.first[a];
  return graph;
}

}  // namespace lightrail
