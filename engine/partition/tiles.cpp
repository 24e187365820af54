#include "engine/partition/tiles.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/model/kind.hpp"
#include "engine/partition/groups.hpp"

namespace lightrail {
namespace {

constexpr std::int64_t bytes_a_port =
    192;  // of a link's two ends: what the sender keeps and the port's own state

/// A tile costs places and queue blocks whatever is in it: no more tiles than these, or one for so many
/// components.
constexpr std::int64_t max_tiles = 4096, components_a_tile = 64;

std::int64_t bytes_of(const Model& model, const ComponentRecord& component) {
  const ComponentKind& kind = *model.kinds[component.kind];
  return std::int64_t{kind.hot_bytes} + kind.state_bytes + bytes_a_port * component.port_count;
}

/// Links with both ends here, the shortest first.
std::vector<GroupLink> edges_of(const Model& model, const std::vector<bool>& is_mine) {
  std::vector<GroupLink> edges;
  for (const LinkRecord& link : model.links)
    if (is_mine[link.from.value] && is_mine[link.to.value])
      edges.push_back({model.link_classes[link.link_class].latency, link.from.value, link.to.value});
  put_shortest_first(edges);
  return edges;
}

/// Unites what links shorter than some width join, the widest that keeps every group below `most` bytes. The
/// shortest links always unite: to cut them gains nothing.
void unite_while_small(Groups& groups, const std::vector<GroupLink>& edges, std::int64_t most) {
  std::size_t kept = 0;  // edges that unite
  Groups tried = groups;
  for (std::size_t to = 0; to < edges.size(); kept = to) {
    while (to < edges.size() && edges[to].latency == edges[kept].latency) {
      tried.unite(edges[to].from, edges[to].to);
      ++to;
    }
    if (tried.heaviest() > most && kept > 0) break;
  }
  for (std::size_t e = 0; e < kept; ++e) groups.unite(edges[e].from, edges[e].to);
}

/// Components with a link to another rank, first: what they send can leave while the others work.
void put_boundary_first(const Model& model, const Partition& partition, Tiles& tiles) {
  std::vector<bool> is_boundary(model.components.size());
  for (const LinkRecord& link : model.links)
    if (partition.is_cut(model, link)) is_boundary[link.from.value] = is_boundary[link.to.value] = true;
  const auto is_first = [&](ComponentId id) { return is_boundary[id.value]; };
  for (auto& members : tiles.members) std::stable_partition(members.begin(), members.end(), is_first);
  std::stable_partition(tiles.members.begin(), tiles.members.end(),
                        [&](const auto& members) { return !members.empty() && is_first(members.front()); });
}

/// What bounds the slices, on any rank.
SimTime shortest_latency(const Model& model) {
  SimTime least = time_never;
  for (const LinkRecord& link : model.links)
    least = std::min(least, model.link_classes[link.link_class].latency);
  return least == time_never ? SimTime{0} : least;
}

Tiles one_tile(const Tiles& tiles) {
  Tiles one{time_never, {{}}};
  for (const auto& members : tiles.members)
    one.members[0].insert(one.members[0].end(), members.begin(), members.end());
  std::sort(one.members[0].begin(), one.members[0].end());
  return one;
}

}  // namespace

namespace {

Tiles cut(const Model& model, const Partition& partition, int rank) {
  std::vector<bool> is_mine(model.components.size());
  std::vector<std::int64_t> bytes_mine(is_mine.size());
  std::int64_t count = 0;
  for (std::size_t c = 0; c < is_mine.size(); ++c) {
    is_mine[c] = partition.rank_of(model.components[c]) == rank;
    if (is_mine[c]) ++count, bytes_mine[c] = bytes_of(model, model.components[c]);
  }
  const std::int64_t total = std::accumulate(bytes_mine.begin(), bytes_mine.end(), std::int64_t{0});
  const std::vector<GroupLink> edges = edges_of(model, is_mine);
  Groups groups(std::move(bytes_mine));
  const bool is_split = partition.tile_bytes > 0 && total > partition.tile_bytes;
  const std::int64_t bytes =
      std::max(partition.tile_bytes, total / std::max(max_tiles, count / components_a_tile));
  if (is_split) unite_while_small(groups, edges, bytes);

  Tiles tiles;
  std::vector<std::uint32_t> tile_of(is_mine.size());  // of a group, by its representative
  std::int64_t filled = 0;
  const auto next_tile = [&] { tiles.members.emplace_back(), filled = 0; };
  next_tile();
  for (std::uint32_t c = 0; c < is_mine.size(); ++c) {
    if (!is_mine[c]) continue;
    const std::uint32_t group = groups.find(c);
    if (group == c && is_split) {
      if (filled + groups.weight(c) > bytes && filled > 0) next_tile();
      filled += groups.weight(c);
      tile_of[c] = static_cast<std::uint32_t>(tiles.members.size() - 1);
    }
    tiles.members[tile_of[group]].push_back(ComponentId{c});
  }
  for (const GroupLink& edge : edges)
    if (tile_of[groups.find(edge.from)] != tile_of[groups.find(edge.to)])
      tiles.width = std::min(tiles.width, edge.latency);
  return tiles.width < 2 * shortest_latency(model) ? one_tile(tiles) : tiles;  // a turn would be one slice
}

}  // namespace

Tiles make_tiles(const Model& model, const Partition& partition, int rank) {
  Tiles tiles = cut(model, partition, rank);
  put_boundary_first(model, partition, tiles);
  return tiles;
}

}  // namespace lightrail
