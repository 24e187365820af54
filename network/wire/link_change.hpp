#pragma once
#include <cstdint>

#include "network/wire/message.hpp"
#include "network/wire/message_kind.hpp"

namespace lightrail {

/// The timer of one of the component's own ports: its link goes down or comes up (network/health).
struct LinkChange {
  MessageKind kind = MessageKind::link_change;
  std::uint8_t unused[3] = {};
  std::uint32_t port = 0;
  std::uint64_t unused_words = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::link_change; }
};
static_assert(Message<LinkChange>);

}  // namespace lightrail
