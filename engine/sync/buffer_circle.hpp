#pragma once
#include <compare>
#include <cstdint>
#include <vector>

#include "engine/base/id.hpp"

namespace lightrail {

/// An input buffer of the model: of a component, a port and a lane.
struct BufferPlace {
  ComponentId component{};
  std::uint16_t port = 0, lane = 0;
  auto operator<=>(const BufferPlace&) const = default;  // NOLINT(modernize-use-nullptr): see Quantity
};

/// Something in `from` waits for room in `to`.
struct BufferEdge {
  BufferPlace from{}, to{};
  auto operator<=>(const BufferEdge&) const = default;  // NOLINT(modernize-use-nullptr): see Quantity
};

/// Buffers each of which waits for room in the next, the last for the first; none where there is no such
/// circle. Of several the one that is met first from the lowest place on, whatever the order of `edges`.
[[nodiscard]] std::vector<BufferPlace> find_circle(std::vector<BufferEdge> edges);

}  // namespace lightrail
