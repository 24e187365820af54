#include "engine/partition/stripes.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/base/random.hpp"
#include "engine/partition/groups.hpp"

namespace lightrail {
namespace {

constexpr std::uint64_t stripe_seed = 20261122;

/// Links between atoms, the shortest first.
std::vector<GroupLink> links_between_atoms(const Model& model) {
  std::vector<GroupLink> links;
  for (const LinkRecord& link : model.links) {
    const AtomId from = model.components[link.from.value].atom, to = model.components[link.to.value].atom;
    if (from != to) links.push_back({model.link_classes[link.link_class].latency, from.value, to.value});
  }
  put_shortest_first(links);
  return links;
}

/// Groups are dealt in the order of their first atoms.
std::vector<std::int32_t> deal(Groups& groups, std::uint32_t atoms, int ranks) {
  std::vector<std::uint32_t> first;  // of each group
  for (std::uint32_t a = 0; a < atoms; ++a)
    if (groups.find(a) == a) first.push_back(a);
  const auto rank_of_group = split_in_stripes(static_cast<std::uint32_t>(first.size()), ranks);
  std::vector<std::int32_t> rank_of(atoms);
  for (std::size_t g = 0; g < first.size(); ++g) rank_of[first[g]] = rank_of_group[g];
  for (std::uint32_t a = 0; a < atoms; ++a) rank_of[a] = rank_of[groups.find(a)];
  return rank_of;
}

bool is_balanced(const std::vector<std::int32_t>& weight, const std::vector<std::int32_t>& rank_of,
                 int ranks) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(ranks));
  for (std::size_t a = 0; a < weight.size(); ++a) sums[static_cast<std::size_t>(rank_of[a])] += weight[a];
  const std::int64_t total = std::accumulate(sums.begin(), sums.end(), std::int64_t{0});
  return *std::max_element(sums.begin(), sums.end()) * ranks * 10 <= total * 11;
}

}  // namespace

std::vector<std::int32_t> split_in_stripes(std::uint32_t atoms, int ranks) {
  Random random(stripe_seed, ComponentId{0}, 0);
  std::vector<std::int32_t> rank_of, hand(static_cast<std::size_t>(ranks));
  std::iota(hand.begin(), hand.end(), 0);
  while (rank_of.size() < atoms) {
    for (std::size_t left = hand.size(); left > 1; --left)
      std::swap(hand[left - 1], hand[random.below(left)]);
    rank_of.insert(rank_of.end(), hand.begin(), hand.end());
  }
  rank_of.resize(atoms);
  return rank_of;
}

std::vector<std::int32_t> split_in_stripes(const std::vector<std::int32_t>& weight, int ranks) {
  const double share = static_cast<double>(std::accumulate(weight.begin(), weight.end(), std::int64_t{0})) /
                       static_cast<double>(ranks);
  std::vector<std::int32_t> sorted = weight;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  std::vector<std::uint32_t> heavy;
  for (std::uint32_t a = 0; a < weight.size(); ++a)
    if (16 * static_cast<double>(weight[a]) > share && weight[a] / 4 > *middle) heavy.push_back(a);
  if (heavy.empty()) return split_in_stripes(static_cast<std::uint32_t>(weight.size()), ranks);
  std::stable_sort(heavy.begin(), heavy.end(),
                   [&](std::uint32_t x, std::uint32_t y) { return weight[x] > weight[y]; });
  std::vector<std::int32_t> rank_of(weight.size(), -1);
  std::vector<double> room(static_cast<std::size_t>(ranks), share), given(room.size(), 0);
  for (const std::uint32_t a : heavy) {
    const auto rank = std::max_element(room.begin(), room.end()) - room.begin();
    rank_of[a] = static_cast<std::int32_t>(rank);
    room[static_cast<std::size_t>(rank)] -= weight[a];
  }
  Random random(stripe_seed, ComponentId{0}, 0);
  for (std::size_t a = 0; a < weight.size(); ++a) {
    if (rank_of[a] >= 0) continue;
    std::size_t least = 0, ties = 0;  // of what it is to have, the least given so far
    double least_part = std::numeric_limits<double>::infinity();
    for (std::size_t rank = 0; rank < room.size(); ++rank) {
      if (room[rank] <= 0) continue;
      const double part = given[rank] / room[rank];
      if (part < least_part) least = rank, least_part = part, ties = 0;
      if (part == least_part && random.below(++ties) == 0) least = rank;
    }
    rank_of[a] = static_cast<std::int32_t>(least);
    given[least] += weight[a];
  }
  return rank_of;
}

std::vector<std::int32_t> split_in_wide_stripes(const Model& model, const AtomGraph& graph, int ranks) {
  const std::vector<GroupLink> links = links_between_atoms(model);
  Groups groups(std::vector<std::int64_t>(graph.weight.begin(), graph.weight.end()));
  std::vector<std::int32_t> widest = split_in_stripes(graph.weight, ranks);
  for (std::size_t to = 0; to < links.size();) {
    const SimTime latency = links[to].latency;
    while (to < links.size() && links[to].latency == latency)
      groups.unite(links[to].from, links[to].to), ++to;
    auto dealt = deal(groups, model.atom_count, ranks);
    if (is_balanced(graph.weight, dealt, ranks)) widest = std::move(dealt);
  }
  return widest;
}

}  // namespace lightrail
