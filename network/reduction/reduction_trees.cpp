#include "network/reduction/reduction_trees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/model/kind.hpp"
#include "network/health/health_table.hpp"

namespace lightrail {
namespace {

const AggregationSpec* aggregation_of(const Model& model, std::uint32_t component) {
  const std::uint32_t spec = model.components[component].spec;
  const auto* found =
      spec < model.specs.size() ? dynamic_cast<const AggregationSpec*>(model.specs[spec].get()) : nullptr;
  return found && found->sum_efficiency() > 0 ? found : nullptr;
}

/// In either direction.
bool fails(const Model& model, LinkId link) {
  const auto* health = model.resource<HealthTable>();
  return health && (health->has_outages(link) || health->has_outages(LinkId{link.value ^ 1}));
}

}  // namespace

const ReductionTree::Node* ReductionTree::node_at(ComponentId at) const {
  const auto found = std::lower_bound(nodes.begin(), nodes.end(), at.value,
                                      [](const Node& node, std::uint32_t id) { return node.at.value < id; });
  return found != nodes.end() && found->at == at ? &*found : nullptr;
}

ReductionTrees::ReductionTrees(const Model& model)
    : model_(model), switch_of_(model.components.size(), none) {
  for (std::uint32_t c = 0; c < model.components.size(); ++c)
    if (const AggregationSpec* spec = aggregation_of(model, c)) {
      switch_of_[c] = static_cast<std::uint32_t>(switches_.size());
      switches_.push_back({ComponentId{c}, spec, {}});
    }
  for (Switch& each : switches_) add_ways(each);
}

void ReductionTrees::add_ways(Switch& from) {
  const ComponentRecord& record = model_.components[from.at.value];
  for (std::uint32_t port = 0; port < record.port_count; ++port) {
    const LinkId out = model_.ports[record.first_port + port].out;
    if (!out.is_valid() || fails(model_, out)) continue;
    const LinkRecord& link = model_.links[out.value];
    if (const std::uint32_t to = switch_of_[link.to.value]; to != none)
      from.ways.push_back({to, static_cast<PortIndex>(port), link.to_port});
  }
}

const std::vector<std::uint32_t>& ReductionTrees::distances(std::uint32_t from) {
  const auto [place, is_new] = distances_.try_emplace(from);
  std::vector<std::uint32_t>& found = place->second;
  if (!is_new) return found;
  found.assign(switches_.size(), none);
  found[from] = 0;
  std::vector<std::uint32_t> open{from};
  for (std::size_t i = 0; i < open.size(); ++i)
    for (const Way& way : switches_[open[i]].ways)
      if (found[way.to] == none) {
        found[way.to] = found[open[i]] + 1;
        open.push_back(way.to);
      }
  return found;
}

std::vector<std::uint32_t> ReductionTrees::roots(std::span<const std::uint32_t> lowest) {
  std::vector<std::uint64_t> farthest(switches_.size()), sum(switches_.size());
  for (const std::uint32_t from : lowest) {
    const auto& distance = distances(from);
    for (std::size_t s = 0; s < switches_.size(); ++s) {
      farthest[s] = std::max<std::uint64_t>(farthest[s], distance[s]);
      sum[s] += distance[s];
    }
  }
  std::vector<std::uint32_t> best;
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(farthest[a], sum[a]) < std::pair(farthest[b], sum[b]);
  };
  for (std::uint32_t s = 0; s < switches_.size(); ++s) {
    if (farthest[s] == none || (!best.empty() && is_before(best.front(), s))) continue;
    if (!best.empty() && is_before(s, best.front())) best.clear();
    best.push_back(s);
  }
  return best;
}

void ReductionTrees::join(std::uint32_t from, std::uint32_t root, std::uint32_t turn,
                          std::vector<ReductionTree::Node>& nodes) {
  const auto& distance = distances(root);
  for (std::uint32_t at = from; at != root && nodes[at].up == self_port;) {
    std::vector<Way> ways;
    for (const Way& way : switches_[at].ways)
      if (distance[way.to] + 1 == distance[at]) ways.push_back(way);
    const auto is_joined = [&](const Way& way) { return !nodes[way.to].branches.empty() || way.to == root; };
    if (std::any_of(ways.begin(), ways.end(), is_joined))
      std::erase_if(ways, [&](const Way& way) { return !is_joined(way); });
    const Way& way = ways[turn % ways.size()];
    nodes[at].up = way.port;
    nodes[way.to].branches.push_back(way.far_port);
    nodes[way.to].heads.push_back(ReductionTree::no_head);
    at = way.to;
  }
}

std::string ReductionTrees::name_of(std::uint32_t at) const {
  return model_.component_name(switches_[at].at);
}

std::variant<ReductionTree, std::string> ReductionTrees::tree(std::span<const Leaf> leaves,
                                                              std::uint32_t turn) {
  LIGHTRAIL_EXPECT(!leaves.empty());
  std::vector<ReductionTree::Node> nodes(switches_.size());
  std::vector<std::uint32_t> lowest;
  for (const Leaf& leaf : leaves) {
    const LinkRecord& link = model_.links[leaf.up.value];
    const std::uint32_t at = switch_of_[link.to.value];
    if (at == none)
      return fmt::format("switches that reduce (sharp-efficiency): {} does not",
                         model_.component_name(link.to));
    nodes[at].branches.push_back(link.to_port);
    nodes[at].heads.push_back(leaf.head);
    lowest.push_back(at);
  }
  std::sort(lowest.begin(), lowest.end());
  lowest.erase(std::unique(lowest.begin(), lowest.end()), lowest.end());
  const std::vector<std::uint32_t> best = roots(lowest);
  if (best.empty())
    return fmt::format("switches that reduce (sharp-efficiency) and cables that never fail between {} and {}",
                       name_of(lowest.front()), name_of(lowest.back()));
  const std::uint32_t root = best[turn % best.size()];
  for (const std::uint32_t from : lowest)
    join(from, root, turn / static_cast<std::uint32_t>(best.size()), nodes);
  ReductionTree found;
  for (std::uint32_t s = 0; s < nodes.size(); ++s) {
    if (nodes[s].branches.empty()) continue;
    const AggregationSpec& spec = *switches_[s].spec;
    if (const std::uint32_t most = spec.sum_radix(); most > 0 && nodes[s].branches.size() > most)
      return fmt::format("trees of fewer branches: {} has {} and takes {} (sharp-radix)", name_of(s),
                         nodes[s].branches.size(), most);
    found.efficiency = std::min(found.efficiency, spec.sum_efficiency());
    if (const Bytes room = spec.sum_room(); room.value > 0)
      found.room = found.room.value == 0 ? room : std::min(found.room, room);
    nodes[s].at = switches_[s].at;
    found.nodes.push_back(std::move(nodes[s]));
  }
  return found;
}

}  // namespace lightrail
