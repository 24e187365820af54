#pragma once
#include <cstdint>

#include "engine/model/event.hpp"

namespace lightrail {

/// What a controller, its optical switch and the GPUs of its region tell each other over control links.
enum class ControlKind : std::uint8_t {
  // controller -> optical switch
  connect = 40,  ///< a: port in, b: port out; belongs to the table that the next `apply` makes
  apply = 41,    ///< the circuits named since the last one are the whole table
  // optical switch -> controller
  lit = 42,    ///< every circuit of the table carries data again
  alarm = 39,  ///< a: port that has failed or does not switch; all_ports: the whole switch
  // GPU -> controller
  demand = 43,      ///< a: server of the region, b: call, bytes: KiB that the GPU will send there
  demand_end = 44,  ///< b: call; that was all
  drained = 45,     ///< b: epoch; nothing of this GPU is on the way to a circuit
  absent = 49,      ///< this GPU takes part in no exchange
  begun = 50,       ///< the exchange of the last `live` that asked has begun here
  // controller -> GPU
  pause = 46,    ///< b: epoch; start nothing on circuits and say when the last has gone
  circuit = 47,  ///< a: NIC of the server, b: server at the far end
  later = 51,  ///< a: server; bytes: of what an exchange has for it, in parts of later_whole, what waits for
               ///< later circuits; belongs to the next `live`, nothing waits for servers that are not named
  beside =
      52,    ///< a: server; bytes: of what an exchange has for it, in parts of later_whole, what takes packet
             ///< NICs at once, the rest circuits alone; belongs to the next `live` as `later` does
  live = 48  ///< a: calls below this one may start, b: epoch; the circuits named since `pause` are all;
             ///< bytes: 1: say when the exchange has begun
};

inline constexpr std::uint32_t all_ports = 0xffffffff;
/// What the parts of `later` and `beside` are counted in.
inline constexpr std::uint32_t later_whole = 1u << 16;

inline Payload control_payload(ControlKind kind, std::uint32_t a = 0, std::uint32_t b = 0,
                               std::uint32_t bytes = 0) {
  Payload p;
  p.kind = static_cast<std::uint8_t>(kind);
  p.bytes = bytes;
  p.a = a;
  p.b = b;
  return p;
}
inline ControlKind control_kind_of(const Payload& p) {
  return static_cast<ControlKind>(p.kind);
}

}  // namespace lightrail
