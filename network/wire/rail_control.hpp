#pragma once
#include <cstdint>

#include "engine/model/event.hpp"

namespace lightrail {

/// What the controller of a rail and the GPUs on it tell each other over control links. Control messages of
/// collectives (WireKind::control) take these links too.
enum class RailControl : std::uint8_t {
  // GPU -> controller
  request = 50,   ///< a: server to send to; the circuit that the GPU sends on is free
  released = 51,  ///< the circuit that the GPU sends on is free
  // controller -> GPU
  granted = 52,  ///< a: server; the light reaches it
  reclaim = 53   ///< others wait for whom the GPU sends to: release it when nothing is on the way
};

inline Payload rail_payload(RailControl kind, std::uint32_t server = 0) {
  Payload p;
  p.kind = static_cast<std::uint8_t>(kind);
  p.a = server;
  return p;
}
inline RailControl rail_control_of(const Payload& p) {
  return static_cast<RailControl>(p.kind);
}

}  // namespace lightrail
