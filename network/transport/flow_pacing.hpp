#pragma once
#include <cstdint>

#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"

namespace lightrail {

/// How fast a NIC may send flows for which congestion notices have come back. A flow is named by a key.
class FlowPacing {
 public:
  virtual ~FlowPacing() = default;
  /// A notice of `marks` marked packets of the flow has come back.
  virtual void slow_down(std::uint64_t flow, std::uint32_t marks, SimTime now) = 0;
  /// <= now: the flow may send. Later: before then it sends nothing, and then this is to be asked again.
  [[nodiscard]] virtual SimTime next_start(std::uint64_t flow, SimTime now) = 0;
  /// A train of the flow starts at `at`; it has `bytes`, which take `line` on the line.
  virtual void sent(std::uint64_t flow, SimTime at, std::uint32_t bytes, SimTime line) = 0;
  virtual void save(StateWriter&) const {}
  virtual void load(StateReader&) {}
};

}  // namespace lightrail
