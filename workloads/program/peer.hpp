#pragma once
#include <cstdint>

#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// Whom a GPU sends to or receives from by `op`, a send or receive in its group `group`.
[[nodiscard]] inline EndpointId peer_of(const Op& op, const GroupView& group) {
  if (op.peer_mode == PeerMode::index) return group.member(static_cast<std::uint32_t>(op.peer));
  const auto size = static_cast<std::int64_t>(group.size);
  return group.member(
      static_cast<std::uint32_t>(((std::int64_t{group.my_index} + op.peer) % size + size) % size));
}

}  // namespace lightrail
