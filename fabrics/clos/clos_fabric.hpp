#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "fabrics/clos/clos.hpp"
#include "fabrics/clos/clos_spec.hpp"
#include "fabrics/clos/plan_leaves.hpp"
#include "fabrics/fabric_build.hpp"

namespace lightrail {

/// Roles of the links of a packet fabric: NIC - leaf, leaf - spine, spine - core.
inline const std::vector<std::string> clos_link_roles = {"host", "trunk", "core"};

/// What a packet fabric is made of.
struct ClosParts {
  Part part;               ///< of every switch
  std::uint32_t host = 0;  ///< cables
  std::optional<std::uint32_t> trunk, core;
};

/// The <switch> and the links of a packet fabric. Null on a mistake.
[[nodiscard]] std::optional<ClosParts> read_clos_parts(const FabricBuild& fabric);

/// Refuses attributes that need more tiers than there are: those that every Clos network has, `with_two` of
/// two tiers or more, `with_three` of three.
void refuse_useless(const FabricBuild& fabric, std::uint32_t tiers,
                    std::initializer_list<const char*> with_two,
                    std::initializer_list<const char*> with_three);

/// How leaves are filled. `nics_per_leaf` of them are asked for, one leaf after the other; 0: at most as many
/// as fit beside the uplinks, and where a ratio to these is asked for, evenly: a full leaf and a nearly empty
/// one would share the load unevenly, and the empty one would have another ratio.
[[nodiscard]] LeafFill leaf_fill(const FabricBuild& fabric, const ClosSpec& spec, const Part& part,
                                 std::uint32_t nics_per_leaf);

/// Leaves in the place of one: 2 where NICs of two ports have a pair of them.
[[nodiscard]] inline std::uint32_t twins_of(const ClosSpec& spec) {
  return spec.dual_tor == DualTor::joined ? 2 : 1;
}

/// Three tiers: leaves that share their spines, pairs counted once: as many as `asked` for, or as half of the
/// ports of a spine take. An error where pairs do not divide what is asked for.
[[nodiscard]] std::uint32_t leaves_per_group(const FabricBuild& fabric, const ClosSpec& spec,
                                             std::uint32_t asked, std::uint32_t radix);

/// Builds one Clos network for each plan, with dual-tor="planes" one for each port of the NICs, all of the
/// same parts and with the same numbers, and keeps their FabricLayout. `fill`, `leaves_per_group`: as the
/// plans were made with, pairs of leaves counted once. One tier: each plan is one switch.
void build_clos_networks(FabricBuild& fabric, const ClosSpec& spec, const ClosParts& parts, LeafFill fill,
                         std::uint32_t leaves_per_group, const std::vector<LeafPlan>& plans);

/// "a spine of 8 ports, half of them down, cannot join a pod of 8 rails", for a group of no leaves; true when
/// there are three tiers and it is so.
[[nodiscard]] bool refuse_empty_group(const FabricBuild& fabric, const ClosSpec& spec, const Part& part,
                                      std::uint32_t leaves_per_group, std::uint32_t rails);

}  // namespace lightrail
