#pragma once
#include <cstdint>
#include <string>

#include "fabrics/clos/fat_tree.hpp"
#include "network/circuits/regions.hpp"

namespace lightrail {

/// A fat tree for packets, and circuits beside it.
struct MixnetSpec : FatTreeSpec {
  std::uint32_t optical_nics = 6;        ///< of each server
  std::uint32_t region_servers = 8;      ///< servers that share an optical switch
  std::string circuits_for = "ep";       ///< the dimension whose traffic takes circuits
  bool joins_both = false;               ///< traffic with circuits takes packet NICs too
  bool gathers = true, scatters = true;  ///< delegates cross NVLink
  std::string failed = "none";           ///< what is out of order
  bool is_early = true;
  Prediction predicts = Prediction::off;
  double prediction = 1;  ///< 1: right, 0: even demand
};

/// Attributes of <fabric kind="mixnet">.
[[nodiscard]] Describe<MixnetSpec> mixnet_table();

}  // namespace lightrail
