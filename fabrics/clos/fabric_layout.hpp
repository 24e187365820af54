#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "fabrics/clos/clos_shape.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

/// Which NICs share a leaf and what joins the leaves, as built, of fabrics of equal switches.
struct FabricLayout {
  struct Network {
    std::vector<std::uint32_t> nics;             ///< on each leaf
    std::vector<std::uint32_t> leaves_by_group;  ///< leaves that share their spines; two tiers: one group
    std::uint32_t pods = 0;  ///< rail-optimised: with a leaf for each rail; 0: leaves belong to no pod
    ClosShape shape;
    bool operator==(const Network&) const = default;
  };
  std::string kind;  ///< of <fabric>
  std::uint32_t tiers = 1;
  double oversubscription = 1;    ///< as asked for, or usual: NICs for each uplink
  InputError place;               ///< of the attribute, or of the <fabric>
  std::vector<Network> networks;  ///< several where nothing joins the rails
  NicRole role = NicRole::compute;
  bool is_asked = false;        ///< the oversubscription stands in the scenario
  std::uint32_t nic_ports = 1;  ///< of each NIC, on leaves of their own
};

/// Model resource: of every fabric that has one.
struct FabricLayouts {
  std::vector<FabricLayout> all;
};

/// How many of the tiers are there: without cores where one group has all leaves, without spines where one
/// leaf has all NICs.
[[nodiscard]] std::uint32_t built_tiers(const FabricLayout& layout);

/// For people: leaves with their NICs, uplinks and ratio, pods, groups, spines, cores, and which tiers are
/// not built. About a line for each kind of leaf, however many there are.
[[nodiscard]] std::string layout_text(const FabricLayout& layout);

/// Where an oversubscription was asked for that some leaves do not have (beyond told_ratio_tolerance), or
/// that a single leaf cannot have. Of 1:1 only where no leaf has it (beyond ratio_tolerance): that the last
/// one is not full, or that all have an uplink more, harms nobody.
[[nodiscard]] std::vector<InputError> layout_warnings(const FabricLayout& layout);

/// Where no oversubscription was asked for: whether every leaf has more uplinks than NICs (beyond
/// ratio_tolerance), since leaves that are not full have those of full ones.
[[nodiscard]] bool has_spare_uplinks(const FabricLayout& layout);

}  // namespace lightrail
