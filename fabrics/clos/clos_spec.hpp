#pragma once
#include <cstdint>

#include "engine/model/describe.hpp"

namespace lightrail {

/// How leaves take NICs of two ports.
enum class DualTor : std::uint8_t {
  off,     ///< NICs have one port
  joined,  ///< leaves in pairs that have the same NICs; the spines join all leaves
  planes   ///< a network for each port; nothing joins the two
};

/// What every kind of folded Clos network says; 0: to be chosen.
struct ClosSpec {
  std::uint32_t tiers = 2;
  double oversubscription = 1.0;
  std::uint32_t spines = 0, cores = 0;
  DualTor dual_tor = DualTor::off;
};

/// Counts of a fabric at most.
inline constexpr std::uint32_t max_switches = 1u << 20;

/// The parameters that every kind of Clos network has. XSpec derives from ClosSpec; `least_tiers` is what it
/// can do with.
template <class XSpec>
[[nodiscard]] Describe<XSpec> clos_table(std::uint32_t least_tiers) {
  const auto of = []<class T>(T ClosSpec::*member) -> T XSpec::* { return member; };
  Describe<XSpec> table;
  table.field("tiers", of(&ClosSpec::tiers), "switch tiers", least_tiers, 3u)
      .field("oversubscription", of(&ClosSpec::oversubscription), "down ports of a leaf for each uplink", 1.0,
             1000.0)
      .field("spines", of(&ClosSpec::spines),
             "two tiers: all, three tiers: of each group (default: as few as fit)", 1u, max_switches)
      .field("cores", of(&ClosSpec::cores), "three tiers: all (default: as few as fit)", 1u, max_switches);
  return table;
}

/// With the parameter of kinds that can take NICs of two ports. XSpec derives from ClosSpec.
template <class XSpec>
[[nodiscard]] Describe<XSpec> with_dual_tor(Describe<XSpec> table) {
  table.choice("dual-tor", static_cast<DualTor XSpec::*>(&ClosSpec::dual_tor),
               "of NICs with two ports: joined, two leaves for each one, which the spines join; planes, a "
               "network for each port, nothing joins the two",
               {{"off", DualTor::off}, {"joined", DualTor::joined}, {"planes", DualTor::planes}});
  return table;
}

}  // namespace lightrail
