#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/context.hpp"

namespace lightrail {

/// What is in an input buffer of a component, at a port and lane of it, waits for room behind one of its
/// outputs.
struct BufferWait {
  PortIndex in = 0, out = 0;
  std::uint8_t in_lane = 0, out_lane = 0;
  bool operator==(const BufferWait&) const = default;
};

/// Of a component that holds what it cannot send on: asked when a run ends as a deadlock, to find buffers
/// that wait for one another in a circle.
class HasBufferWaits {
 public:
  [[nodiscard]] virtual std::vector<BufferWait> buffer_waits() const = 0;

 protected:
  ~HasBufferWaits() = default;
};

}  // namespace lightrail
