#pragma once
#include <cstdint>

#include "network/wire/message.hpp"
#include "network/wire/message_kind.hpp"

namespace lightrail {

/// The timer of one of a component's Injectors.
struct InjectorWake {
  MessageKind kind = MessageKind::wake;
  std::uint8_t unused[7] = {};
  std::uint32_t tag = 0;  ///< which Injector: as the component has numbered them
  std::uint32_t unused_too = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::wake; }
};
static_assert(Message<InjectorWake>);

/// In registers, for the events of every train.
[[nodiscard]] inline Payload to_payload(const InjectorWake& wake) {
  return payload_of(static_cast<std::uint8_t>(wake.kind), wake.tag);
}

}  // namespace lightrail
