#pragma once
#include <cstdint>

#include "engine/base/time.hpp"
#include "network/wire/message.hpp"
#include "network/wire/message_kind.hpp"

/// What GPUs and the meeting tell each other where operations of communication take what a formula says.
namespace lightrail::meeting {

/// GPU -> meeting: it has come to operation `op` of program `program`.
struct Arrived {
  MessageKind kind = MessageKind::arrived;
  std::uint8_t unused[3] = {};
  std::uint32_t program = 0, op = 0;
  std::uint32_t slot = 0;  ///< the GPU's own, for the answer

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::arrived; }
};
static_assert(Message<Arrived>);

/// Meeting -> GPU: the operation in `slot` ends now.
struct Met {
  MessageKind kind = MessageKind::met;
  std::uint8_t unused[3] = {};
  std::uint32_t slot = 0;
  SimTime partner_at{};  ///< when the other side of a send or receive had come; 0 of a collective

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::met; }
};
static_assert(Message<Met>);

}  // namespace lightrail::meeting
