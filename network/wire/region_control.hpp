#pragma once
#include <cstdint>

#include "network/wire/message.hpp"
#include "network/wire/message_kind.hpp"

/// What a controller, its optical switch and the GPUs of its region tell each other over control links.
namespace lightrail::region_control {

/// Controller -> optical switch: a circuit of the table that the next Apply makes.
struct Connect {
  MessageKind kind = MessageKind::connect;
  std::uint8_t unused[7] = {};
  std::uint32_t in = 0, out = 0;  ///< ports

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::connect; }
};
static_assert(Message<Connect>);

/// Controller -> optical switch: the circuits named since the last one are the whole table.
struct Apply {
  MessageKind kind = MessageKind::apply;
  std::uint8_t unused[15] = {};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::apply; }
};
static_assert(Message<Apply>);

/// Optical switch -> controller: every circuit of the table carries data again.
struct Lit {
  MessageKind kind = MessageKind::lit;
  std::uint8_t unused[15] = {};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::lit; }
};
static_assert(Message<Lit>);

/// Optical switch -> controller: a port has failed or does not switch.
struct Alarm {
  static constexpr std::uint32_t all_ports = 0xffffffff;

  MessageKind kind = MessageKind::alarm;
  std::uint8_t unused[7] = {};
  std::uint32_t port = 0;  ///< all_ports: the whole switch
  std::uint32_t unused_too = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::alarm; }
};
static_assert(Message<Alarm>);

/// GPU -> controller: what it will send to one server in an exchange.
struct Demand {
  static constexpr std::int64_t unit = 1024;  ///< what sizes are told in [B], rounded up
  static constexpr std::int64_t max_bytes = unit * UINT32_MAX;

  MessageKind kind = MessageKind::demand;
  std::uint8_t unused[3] = {};
  std::uint32_t units = 0;
  std::uint32_t member = 0;  ///< server of the region
  std::uint32_t call = 0;    ///< number of the exchange

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::demand; }
};
static_assert(Message<Demand>);

/// GPU -> controller: that was all its demand of an exchange.
struct DemandEnd {
  MessageKind kind = MessageKind::demand_end;
  std::uint8_t unused[11] = {};
  std::uint32_t call = 0;  ///< number of the exchange

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::demand_end; }
};
static_assert(Message<DemandEnd>);

/// GPU -> controller: nothing of this GPU is on the way to a circuit.
struct Drained {
  MessageKind kind = MessageKind::drained;
  std::uint8_t unused[11] = {};
  std::uint32_t epoch = 0;  ///< of the Pause

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::drained; }
};
static_assert(Message<Drained>);

/// GPU -> controller: this GPU takes part in no exchange.
struct Absent {
  MessageKind kind = MessageKind::absent;
  std::uint8_t unused[15] = {};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::absent; }
};
static_assert(Message<Absent>);

/// GPU -> controller: the exchange of the last Live that asked has begun here.
struct Begun {
  MessageKind kind = MessageKind::begun;
  std::uint8_t unused[15] = {};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::begun; }
};
static_assert(Message<Begun>);

/// Controller -> GPU: start nothing on circuits and say when the last has gone.
struct Pause {
  MessageKind kind = MessageKind::pause;
  std::uint8_t unused[11] = {};
  std::uint32_t epoch = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::pause; }
};
static_assert(Message<Pause>);

/// Controller -> GPU: where a circuit of its server leads.
struct Circuit {
  MessageKind kind = MessageKind::circuit;
  std::uint8_t unused[7] = {};
  std::uint32_t nic = 0;     ///< of the GPU's server
  std::uint32_t member = 0;  ///< server at the far end

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::circuit; }
};
static_assert(Message<Circuit>);

/// Controller -> GPU: calls below `calls` may start; the circuits named since the Pause are all.
struct Live {
  MessageKind kind = MessageKind::live;
  std::uint8_t unused[3] = {};
  std::uint32_t wants_begun = 0;  ///< 1: say when the exchange has begun
  std::uint32_t calls = 0;
  std::uint32_t epoch = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::live; }
};
static_assert(Message<Live>);

/// Controller -> GPU, both belong to the next Live: which part of what an exchange has for a server ...
/// Later: waits for later circuits; nothing waits for servers that are not named.
/// Beside: takes packet NICs at once, the rest circuits alone.
struct Share {
  static constexpr std::uint32_t whole = 1u << 16;  ///< parts of everything

  MessageKind kind = MessageKind::later;  ///< later or beside
  std::uint8_t unused[3] = {};
  std::uint32_t parts = 0;   ///< of `whole`
  std::uint32_t member = 0;  ///< server of the region
  std::uint32_t unused_too = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    return kind == MessageKind::later || kind == MessageKind::beside;
  }
};
static_assert(Message<Share>);

}  // namespace lightrail::region_control
