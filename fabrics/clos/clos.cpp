#include "fabrics/clos/clos.hpp"

#include <cstddef>
#include <utility>

namespace lightrail {

namespace {

/// Lid intervals of the children of a switch, in port order, merged into as few entries as their sizes allow:
/// all children of one entry have the same size, only the last may be smaller.
std::vector<SwitchRoute::Children> merge_children(
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& children, std::uint32_t ports_per_child) {
  std::vector<SwitchRoute::Children> all;
  bool is_open = false;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const auto [low, high] = children[i];
    const std::uint32_t size = high - low;
    if (is_open && size <= all.back().lids_per_child) {
      is_open = size == all.back().lids_per_child;
      all.back().lid_high = high;
      continue;
    }
    all.push_back({low, high, size, static_cast<PortIndex>(i * ports_per_child),
                   static_cast<std::uint16_t>(ports_per_child)});
    is_open = true;
  }
  return all;
}

class ClosBuilder {
 public:
  ClosBuilder(const LeafPlan& plan, const ClosShape& shape, const Part& part, const ClosCables& cables,
              FabricBuild& fabric, std::uint32_t nic_port)
      : plan_(plan),
        shape_(shape),
        part_(part),
        cables_(cables),
        fabric_(fabric),
        builder_(fabric.builder),
        counter_(fabric.counter),
        nic_port_(nic_port) {}

  void build() {
    build_leaves();
    if (shape_.spines > 0) build_spines();
    if (shape_.cores_per_plane > 0) build_cores();
  }

 private:
  /// Of the NICs of a leaf.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> lids_of_leaf(std::uint32_t leaf) const {
    const auto [low, high] = plan_.lids_of_leaf(leaf);
    return {counter_.next_lid + low, counter_.next_lid + high};
  }

  ComponentId add_switch(const char* prefix, std::uint32_t& number, std::uint32_t route) {
    return fabric_.add_switch(part_, prefix, number++, route);
  }
  std::uint32_t add_route(std::vector<SwitchRoute::Children> down, std::uint32_t first_up,
                          std::uint32_t up_count) {
    return fabric_.add_route(
        {std::move(down), static_cast<PortIndex>(first_up), static_cast<std::uint16_t>(up_count), {}});
  }

  void build_leaves() {
    const char* name = shape_.spines > 0 ? "leaf" : "switch";
    for (std::uint32_t l = 0; l < plan_.leaf_count(); ++l) {
      const auto [low, high] = lids_of_leaf(l);
      const std::uint32_t route = add_route({{low, high, 1, 0, 1}}, shape_.down, shape_.up);
      fabric_.routing.routes[route].has_twin = plan_.has_twins;
      leaves_.push_back(add_switch(name, counter_.next_leaf, route));
      const std::uint32_t nic_port = plan_.has_twins ? l % 2 : nic_port_;
      for (std::uint32_t port = 0; port < high - low; ++port)
        fabric_.attach(plan_.nics[plan_.leaf_begin[l] + port], low + port, leaves_[l], port, cables_.host,
                       nic_port);
    }
  }

  void build_spines() {
    const std::uint32_t first_up = shape_.leaves_per_group * shape_.leaf_links;
    for (std::uint32_t g = 0; g < plan_.group_count(); ++g) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> children;
      // Twins are one child with the ports of both.
      const std::uint32_t twins = plan_.has_twins ? 2 : 1;
      for (std::uint32_t l = plan_.group_begin[g]; l < plan_.group_begin[g + 1]; l += twins)
        children.push_back(lids_of_leaf(l));
      const std::uint32_t route =
          add_route(merge_children(children, shape_.leaf_links * twins), first_up, shape_.spine_up);
      for (std::uint32_t s = 0; s < shape_.spines; ++s) {
        spines_.push_back(add_switch("spine", counter_.next_spine, route));
        for (std::uint32_t l = plan_.group_begin[g]; l < plan_.group_begin[g + 1]; ++l)
          for (std::uint32_t i = 0; i < shape_.leaf_links; ++i)
            builder_.connect(leaves_[l], shape_.down + s * shape_.leaf_links + i, spines_.back(),
                             (l - plan_.group_begin[g]) * shape_.leaf_links + i, cables_.trunk);
      }
    }
  }

  void build_cores() {
    const std::uint32_t first_up = shape_.leaves_per_group * shape_.leaf_links;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> children;
    for (std::uint32_t g = 0; g < plan_.group_count(); ++g)
      children.emplace_back(lids_of_leaf(plan_.group_begin[g]).first,
                            lids_of_leaf(plan_.group_begin[g + 1] - 1).second);
    const std::uint32_t route = add_route(merge_children(children, shape_.spine_links), 0, 0);
    for (std::uint32_t plane = 0; plane < shape_.spines; ++plane)
      for (std::uint32_t c = 0; c < shape_.cores_per_plane; ++c) {
        const ComponentId core = add_switch("core", counter_.next_core, route);
        for (std::uint32_t g = 0; g < plan_.group_count(); ++g)
          for (std::uint32_t i = 0; i < shape_.spine_links; ++i)
            builder_.connect(spines_[g * shape_.spines + plane], first_up + c * shape_.spine_links + i, core,
                             g * shape_.spine_links + i, cables_.core);
      }
  }

  const LeafPlan& plan_;
  const ClosShape& shape_;
  const Part& part_;
  const ClosCables& cables_;
  FabricBuild& fabric_;
  SystemBuilder& builder_;
  FabricCounter& counter_;
  std::uint32_t nic_port_;
  std::vector<ComponentId> leaves_, spines_;
};

/// Of the intervals between neighbouring bounds.
std::vector<std::uint32_t> sizes(const std::vector<std::uint32_t>& bounds) {
  std::vector<std::uint32_t> all;
  for (std::size_t i = 1; i < bounds.size(); ++i) all.push_back(bounds[i] - bounds[i - 1]);
  return all;
}

}  // namespace

std::vector<std::uint32_t> LeafPlan::nics_by_leaf() const {
  return sizes(leaf_begin);
}

std::vector<std::uint32_t> LeafPlan::leaves_by_group() const {
  return sizes(group_begin);
}

std::pair<std::uint32_t, std::uint32_t> LeafPlan::lids_of_leaf(std::uint32_t leaf) const {
  if (!has_twins) return {leaf_begin[leaf], leaf_begin[leaf + 1]};
  const std::uint32_t low = leaf_begin[leaf - leaf % 2] / 2;
  return {low, low + leaf_begin[leaf + 1] - leaf_begin[leaf]};
}

LeafPlan LeafPlan::with_twins() const {
  LeafPlan twins;
  twins.pods = pods;
  twins.has_twins = true;
  for (std::uint32_t leaf = 0; leaf < leaf_count(); ++leaf)
    for (std::uint32_t port = 0; port < 2; ++port) {
      twins.nics.insert(twins.nics.end(), nics.begin() + leaf_begin[leaf],
                        nics.begin() + leaf_begin[leaf + 1]);
      twins.end_leaf();
    }
  for (std::uint32_t group = 1; group <= group_count(); ++group)
    twins.group_begin.push_back(2 * group_begin[group]);
  return twins;
}

void LeafPlan::end_leaf() {
  if (nics.size() > leaf_begin.back()) leaf_begin.push_back(static_cast<std::uint32_t>(nics.size()));
}

void LeafPlan::end_group() {
  if (leaf_count() > group_begin.back()) group_begin.push_back(leaf_count());
}

void build_clos(const LeafPlan& plan, const ClosShape& shape, const Part& part, const ClosCables& cables,
                FabricBuild& fabric, std::uint32_t nic_port) {
  ClosBuilder(plan, shape, part, cables, fabric, nic_port).build();
}

}  // namespace lightrail
