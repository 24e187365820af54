#pragma once
#include <cstdint>
#include <memory>

#include "engine/model/kind.hpp"

namespace lightrail::bench {

enum class Pattern : std::uint8_t { permutation, all_to_all };

struct TrafficSpec final : Spec {
  Pattern pattern = Pattern::permutation;
  Bytes message{1 << 20};
  std::uint32_t messages = 1;
  std::uint32_t hosts_per_leaf = 32, leaves_per_group = 32;
};

/// Stands where a scenario has a <gpu>: posts `messages` messages on its NIC (port 1), two at a time, and
/// takes what comes. Permutation: all to one other host of an affine permutation; all-to-all: the k-th to the
/// k-th host after itself. In finish() it records (packet-hops) of what it took: hops over fabric links by
/// the place of the source in the fat-tree, and one over PCIe.
std::shared_ptr<const ComponentKind> traffic_kind();

}  // namespace lightrail::bench
