#include "fabrics/dragonfly_plus/dragonfly_plus.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabrics/dragonfly_plus/dragonfly_shape.hpp"
#include "network/routing/group_route.hpp"

namespace lightrail {

namespace {

constexpr std::uint32_t most = 1u << 16;

Describe<DragonflySpec> table() {
  using S = DragonflySpec;
  return Describe<S>()
      .field("groups", &S::groups, "groups (default: as few as the NICs fill)", 1u, most)
      .field("leaves-per-group", &S::leaves, "leaves of a group (default: half of a switch's ports)", 1u,
             most)
      .field("spines-per-group", &S::spines, "spines of a group (default: half of a switch's ports)", 1u,
             most)
      .field("nics-per-leaf", &S::nics_per_leaf, "NICs on one leaf (default: as many as fit)", 1u, most)
      .field("global-links", &S::global_links,
             "links of a spine to other groups (default: as many as fit and join each two groups alike)", 1u,
             most);
}

class DragonflyBuilder {
 public:
  DragonflyBuilder(const DragonflyShape& shape, const Part& part, FabricBuild& fabric)
      : shape_(shape), part_(part), fabric_(fabric), first_lid_(fabric.counter.next_lid) {}

  void build(std::uint32_t host, std::uint32_t trunk, std::uint32_t global) {
    for (std::uint32_t g = 0; g < shape_.groups; ++g) build_group(g, host, trunk);
    for (std::uint32_t g = 0; g < shape_.groups; ++g)
      for (std::uint32_t s = 0; s < shape_.spines; ++s)
        for (std::uint32_t j = 0; shape_.groups > 1 && j < shape_.global_links; ++j) {
          const DragonflyShape::End far = shape_.far_end({g, s, j});
          if (g < far.group)
            fabric_.builder.connect(spine(g, s), shape_.leaves + j, spine(far.group, far.spine),
                                    shape_.leaves + far.port, global);
        }
    fabric_.counter.next_lid += static_cast<std::uint32_t>(fabric_.nics.size());
  }

 private:
  [[nodiscard]] std::uint32_t nics() const { return static_cast<std::uint32_t>(fabric_.nics.size()); }
  /// First lid of a leaf, counted over all groups.
  [[nodiscard]] std::uint32_t lid_of(std::uint32_t leaf) const {
    return first_lid_ + std::min(leaf * shape_.nics_per_leaf, nics());
  }
  [[nodiscard]] ComponentId spine(std::uint32_t group, std::uint32_t s) const {
    return spines_[group * shape_.spines + s];
  }

  void build_group(std::uint32_t g, std::uint32_t host, std::uint32_t trunk) {
    const std::uint32_t first_leaf = g * shape_.leaves;
    const auto above = std::make_shared<const GroupRoute>(leaf_groups(g));
    std::vector<ComponentId> leaves;
    for (std::uint32_t l = 0; l < shape_.leaves; ++l) {
      const std::uint32_t low = lid_of(first_leaf + l), high = lid_of(first_leaf + l + 1);
      SwitchRoute route;
      route.down = {{low, high, 1, 0, 1}};
      route.groups = above;
      leaves.push_back(fabric_.add_switch(part_, "leaf", fabric_.counter.next_leaf++,
                                          fabric_.add_route(std::move(route))));
      for (std::uint32_t lid = low; lid < high; ++lid)
        fabric_.attach(fabric_.nics[lid - first_lid_].nic, lid, leaves.back(), lid - low, host);
    }
    for (std::uint32_t s = 0; s < shape_.spines; ++s) {
      SwitchRoute route;
      route.down = {{lid_of(first_leaf), lid_of(first_leaf + shape_.leaves), shape_.nics_per_leaf, 0, 1}};
      route.groups = std::make_shared<const GroupRoute>(spine_groups(g, s));
      spines_.push_back(fabric_.add_switch(part_, "spine", fabric_.counter.next_spine++,
                                           fabric_.add_route(std::move(route))));
      for (std::uint32_t l = 0; l < shape_.leaves; ++l)
        fabric_.builder.connect(leaves[l], shape_.nics_per_leaf + s, spines_.back(), l, trunk);
    }
  }

  [[nodiscard]] GroupRoute groups_of(std::uint32_t group) const {
    GroupRoute groups;
    groups.first_lid = first_lid_;
    groups.lids_per_group = shape_.nics_per_group();
    groups.own = group;
    groups.to_group.resize(shape_.groups);
    groups.around_group.resize(shape_.groups);
    return groups;
  }
  [[nodiscard]] GroupRoute leaf_groups(std::uint32_t g) const {
    GroupRoute groups = groups_of(g);
    groups.down_count = static_cast<std::uint16_t>(shape_.nics_per_leaf);
    for (std::uint32_t s = 0; s < shape_.spines; ++s) {
      std::vector<bool> has_link(shape_.groups, false);
      has_link[g] = true;
      for (std::uint32_t j = 0; shape_.groups > 1 && j < shape_.global_links; ++j)
        has_link[shape_.far_end({g, s, j}).group] = true;
      for (std::uint32_t other = 0; other < shape_.groups; ++other)
        (has_link[other] ? groups.to_group : groups.around_group)[other].push_back(
            static_cast<PortIndex>(shape_.nics_per_leaf + s));
    }
    return groups;
  }
  [[nodiscard]] GroupRoute spine_groups(std::uint32_t g, std::uint32_t s) const {
    GroupRoute groups = groups_of(g);
    groups.is_spine = true;
    groups.down_count = static_cast<std::uint16_t>(shape_.leaves);
    for (std::uint32_t l = 0; l < shape_.leaves; ++l) groups.down.push_back(static_cast<PortIndex>(l));
    for (std::uint32_t j = 0; shape_.groups > 1 && j < shape_.global_links; ++j) {
      const std::uint32_t far = shape_.far_end({g, s, j}).group;
      for (std::uint32_t other = 0; other < shape_.groups; ++other)
        if (other != g)
          (other == far ? groups.to_group : groups.around_group)[other].push_back(
              static_cast<PortIndex>(shape_.leaves + j));
    }
    return groups;
  }

  const DragonflyShape& shape_;
  const Part& part_;
  FabricBuild& fabric_;
  const std::uint32_t first_lid_;
  std::vector<ComponentId> spines_;
};

void build(FabricBuild& fabric, const DragonflySpec& spec) {
  const std::optional<Part> part = read_switch(fabric);
  const auto host = fabric.links.cable("host", Need::required);
  const auto trunk = fabric.links.cable("trunk", Need::required);
  const auto global = fabric.links.cable("global", Need::optional);
  if (fabric.has_errors() || !fabric.require_nics()) return;
  DragonflyShape shape;
  if (const std::string text =
          shape_dragonfly(spec, part->radix, static_cast<std::uint32_t>(fabric.nics.size()), shape);
      !text.empty())
    return fabric.fail("<fabric> does not fit: " + text);
  if (shape.groups > 1 && !global) return fabric.fail("<fabric> lacks a <link role=\"global\">");
  DragonflyBuilder(shape, *part, fabric).build(*host, *trunk, global.value_or(*trunk));
}

}  // namespace

std::shared_ptr<const FabricKind> dragonfly_plus_kind() {
  auto kind = std::make_shared<FabricKind>();
  kind->name = "dragonfly-plus";
  kind->doc =
      "Groups of leaves and spines; global links join the spines of each two groups alike (dragonfly+, "
      "Megafly).";
  kind->link_roles = {"host", "trunk", "global"};
  kind->has_groups = true;
  bind_fabric(*kind, table(), build);
  document_chosen(*kind);
  return kind;
}

}  // namespace lightrail
