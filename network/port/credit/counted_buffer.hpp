#pragma once
#include <cstdint>

#include "network/port/port_end.hpp"

namespace lightrail {

/// What both ends of a link count with as a lane's buffer of `bytes` [B]: with trains of n packets n - 1
/// packets more than it holds.
///
/// A train takes its credits when its first packet starts and gives them back when its last one has left. Its
/// packets would take and give them back one after the other: (n - 1) / 2 packets less on average at each
/// end. At packet level the two are the same.
[[nodiscard]] inline std::int64_t counted_buffer(std::int64_t bytes, const PortEnd& end) {
  return bytes + end.train_bytes() - end.mtu_bytes;
}

}  // namespace lightrail
