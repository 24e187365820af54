#pragma once
#include <algorithm>
#include <cstdint>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"

namespace lightrail {

/// How NCCL's plugin for a network adapter behaves.
struct NetPlugin {
  SimTime latency{};            ///< what it reports: NCCL adds it to a step over the network when it chooses
  bool is_simple_only = false;  ///< restricts NCCL to Simple, for it may reorder what LL and LL128 rely on
  SimTime message_time{};       ///< of the adapter's time that each message takes beside its bytes
  Bytes staged_bytes{0};        ///< of a message, from its first byte on, that go at staged_rate
  BitRate staged_rate{};        ///< 0: no slower than others

  bool operator==(const NetPlugin&) const = default;
};

/// Member by member the slower of two.
[[nodiscard]] inline NetPlugin slower(const NetPlugin& a, const NetPlugin& b) {
  NetPlugin both{std::max(a.latency, b.latency),
                 a.is_simple_only || b.is_simple_only,
                 std::max(a.message_time, b.message_time),
                 std::max(a.staged_bytes, b.staged_bytes),
                 {}};
  const bool is_free = a.staged_rate.value == 0 || b.staged_rate.value == 0;
  both.staged_rate =
      is_free ? std::max(a.staged_rate, b.staged_rate) : std::min(a.staged_rate, b.staged_rate);
  return both;
}

/// A Spec of a network adapter that has such a plugin.
class NetPluginSpec {
 public:
  [[nodiscard]] virtual NetPlugin net_plugin() const = 0;
  /// Its first ports, which lead to a fabric.
  [[nodiscard]] virtual std::uint32_t fabric_ports() const { return 1; }

 protected:
  ~NetPluginSpec() = default;
};

}  // namespace lightrail
