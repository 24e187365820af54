#pragma once
#include "components/gpu/transport/gpu_transport.hpp"

namespace lightrail {

/// What the parts of a GPU's transport share: tokens, its own events, keys of flows.
inline constexpr std::uint64_t no_token = ~std::uint64_t{0};
/// Owner::slot of a notice that nobody waits for.
inline constexpr std::uint32_t no_owner = 0xffffffff;
/// Payload::bytes has 32 bits: larger messages go in pieces.
inline constexpr std::int64_t max_piece = std::int64_t{1} << 30;

inline std::uint64_t token_of(Owner owner) {
  return std::uint64_t{owner.slot} << 32 | owner.sub;
}

inline Payload wake_payload(GpuWake kind, Owner owner = {}) {
  Payload p;
  p.kind = static_cast<std::uint8_t>(kind);
  p.a = owner.slot;
  p.b = owner.sub;
  return p;
}

}  // namespace lightrail
