#pragma once
#include <cstdint>

#include "network/wire/message.hpp"
#include "network/wire/message_kind.hpp"

/// What the controller of a photonic rail and the GPUs on it tell each other over control links. Control
/// messages of collectives (MessageKind::control) take these links too.
namespace lightrail::rail_control {

/// GPU -> controller: the circuit that the GPU sends on is free, it wants one to another server.
struct Request {
  MessageKind kind = MessageKind::circuit_request;
  std::uint8_t unused[7] = {};
  std::uint32_t server = 0;  ///< to send to
  std::uint32_t unused_too = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    return kind == MessageKind::circuit_request;
  }
};
static_assert(Message<Request>);

/// GPU -> controller: the circuit that the GPU sends on is free.
struct Released {
  MessageKind kind = MessageKind::circuit_released;
  std::uint8_t unused[15] = {};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    return kind == MessageKind::circuit_released;
  }
};
static_assert(Message<Released>);

/// Controller -> GPU: the light reaches that server.
struct Granted {
  MessageKind kind = MessageKind::circuit_granted;
  std::uint8_t unused[7] = {};
  std::uint32_t server = 0;
  std::uint32_t unused_too = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    return kind == MessageKind::circuit_granted;
  }
};
static_assert(Message<Granted>);

/// Controller -> GPU: others wait for whom the GPU sends to: release it when nothing is on the way.
struct Reclaim {
  MessageKind kind = MessageKind::circuit_reclaim;
  std::uint8_t unused[15] = {};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    return kind == MessageKind::circuit_reclaim;
  }
};
static_assert(Message<Reclaim>);

}  // namespace lightrail::rail_control
