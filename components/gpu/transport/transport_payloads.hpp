#pragma once
#include "engine/base/time.hpp"
#include "network/wire/train.hpp"
#include "workloads/collective/transport.hpp"

namespace lightrail {

/// Kinds of a GPU's events to itself; WireKind has the low numbers.
enum class GpuWake : std::uint8_t {
  received = 32,    ///< a: slot, b: sub
  timer,            ///< a: slot, b: sub
  op_end,           ///< a: op, b: how often its end was set
  forward_train,    ///< a train for another GPU is whole; its own fields follow
  forward_control,  ///< the same, a control message
  proxy,            ///< the proxy thread's
  rail              ///< a circuit has been idle for long enough
};

/// Owner::slot of a notice that nobody waits for.
inline constexpr std::uint32_t no_owner = 0xffffffff;
/// Outgoing::token of a message whose end nobody waits for.
inline constexpr std::uint64_t no_token = ~std::uint64_t{0};
/// Payload::bytes has 32 bits: larger messages go in pieces [B].
inline constexpr std::int64_t max_piece = std::int64_t{1} << 30;

[[nodiscard]] inline std::uint64_t token_of(Owner owner) {
  return std::uint64_t{owner.slot} << 32 | owner.sub;
}

[[nodiscard]] inline Payload wake_payload(GpuWake kind, Owner owner = {}) {
  Payload p;
  p.kind = static_cast<std::uint8_t>(kind);
  p.a = owner.slot;
  p.b = owner.sub;
  return p;
}

}  // namespace lightrail
