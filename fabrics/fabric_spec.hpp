#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fabrics/clos/clos.hpp"
#include "network/circuits/regions.hpp"

namespace lightrail {

enum class FabricKind : std::uint8_t {
  none,
  single_switch,
  rail_optimised,
  rail_only,
  fat_tree,
  mixnet,
  topoopt,
  photonic_rails
};

/// What <fabric> says; 0: to be chosen.
struct FabricSpec {
  FabricKind kind = FabricKind::none;
  std::uint32_t tiers = 2;
  double oversubscription = 1.0;
  std::uint32_t servers_per_pod = 0;   ///< rail-optimised: servers that share one leaf a rail
  std::uint32_t pods_per_group = 0;    ///< rail-optimised, three tiers
  std::uint32_t nics_per_leaf = 0;     ///< fat-tree
  std::uint32_t leaves_per_group = 0;  ///< fat-tree, three tiers
  std::uint32_t spines = 0, cores = 0;
  // mixnet and topoopt
  std::uint32_t optical_nics = 6;        ///< of each server: mixnet
  std::uint32_t region_servers = 8;      ///< servers that share an optical switch: mixnet
  std::string circuits_for = "ep";       ///< the dimension whose traffic takes circuits: mixnet
  bool joins_both = false;               ///< traffic with circuits takes packet NICs too: mixnet
  bool gathers = true, scatters = true;  ///< delegates cross NVLink: mixnet
  Prediction predicts = Prediction::off;
  double prediction = 1;
  bool is_early = true;
  std::string failed = "none";       ///< what is out of order: mixnet
  SimTime hold = microseconds(100);  ///< photonic-rails: a circuit idle for this long is given up
  std::string strides;               ///< topoopt: servers a and a + stride are joined
  std::uint32_t demand_servers =
      0;  ///< topoopt: circuits by the demand of groups of so many servers; 0: by strides
};

/// The leaves of each Clos network that a fabric consists of: one, or one a rail for rail-only.
std::vector<LeafPlan> plan_leaves(const FabricSpec& spec, std::uint32_t nics_per_leaf,
                                  std::uint32_t leaves_per_group, const std::vector<NicPlace>& nics);

/// Rails of the largest server.
std::uint32_t rail_count(const std::vector<NicPlace>& nics);

}  // namespace lightrail
