#pragma once
#include <cstdint>

#include "engine/base/time.hpp"
#include "network/wire/frame.hpp"
#include "network/wire/message.hpp"
#include "network/wire/message_kind.hpp"

/// What the supervisor of jobs that are restarted and their GPUs tell each other, and what GPUs tell NICs and
/// hosts then. An attempt is a job's life between two restarts; the first one is 0.
namespace lightrail::restart_control {

/// Supervisor -> GPU: its job is stopped and will go on as `attempt`.
struct Halt {
  MessageKind kind = MessageKind::halt;
  std::uint8_t attempt = 0;
  std::uint8_t unused[14] = {};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::halt; }
};
static_assert(Message<Halt>);

/// Supervisor -> GPU: its job's communicators are ready, and it goes on at `iteration`.
struct Resume {
  MessageKind kind = MessageKind::resume;
  std::uint8_t attempt = 0;
  std::uint8_t source = 0;  ///< StateSource: whether it reads a checkpoint first, and which
  std::uint8_t lost = 0;    ///< LostMemories::members of the GPU's group
  std::uint32_t iteration = 0;
  SimTime decided_at{};  ///< servers that had failed then are replaced (SpareServers)

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::resume; }
};
static_assert(Message<Resume>);

/// GPU -> supervisor, in attempt `attempt`. halted: it was in `iteration`. saved: its part of the checkpoint
/// of `iteration` is in storage, or what it keeps of it is in its host's memory. loaded: it has read its
/// checkpoint. back: it begins `iteration`. ended: its program has.
struct Report {
  MessageKind kind = MessageKind::saved;
  std::uint8_t attempt = 0;
  std::uint8_t in_memory = 0;  ///< saved: 1: in memory
  std::uint8_t unused_low = 0;
  std::uint32_t iteration = 0;
  std::uint64_t unused = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    return kind >= MessageKind::halted && kind <= MessageKind::ended;
  }
};
static_assert(Message<Report>);

/// Why a GPU says that its job cannot go on.
enum class Break : std::uint8_t {
  connection,  ///< a queue pair has sent as often as it may
  timeout      ///< a collective, send or receive took longer than the watch over them allows
};

/// GPU -> supervisor: a communicator of `gpu`'s job is of no use any more.
struct Broken {
  MessageKind kind = MessageKind::broken;
  std::uint8_t attempt = 0;
  Break why = Break::connection;
  std::uint8_t unused[5] = {};
  EndpointId gpu{};
  std::uint32_t unused_too = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::broken; }
};
static_assert(Message<Broken>);

/// GPU -> its NICs and its host, host -> its NICs: what the server sent before `attempt` is thrown away. A
/// server has GPUs of one job alone.
struct Flush {
  MessageKind kind = MessageKind::flush;
  std::uint8_t attempt = 0;
  std::uint8_t unused[14] = {};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::flush; }
};
static_assert(Message<Flush>);

/// What could not be sent to `address.from()` is thrown away: its sender `address.to()` is told, over the
/// fabric by whoever gave up, and from its NIC on. Stands for the acknowledgement that does not come.
struct BrokenConnection {
  MessageKind kind = MessageKind::broken_connection;
  std::uint8_t lane = 0;
  std::uint16_t unused = 0;
  std::uint32_t bytes = 0;  ///< on the wire [B]
  Address address{};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    return kind == MessageKind::broken_connection;
  }
  /// Of a train or control message that was given up.
  [[nodiscard]] static BrokenConnection of(const Frame& train, std::uint32_t bytes) {
    const Address& way = train.address;
    return {.lane = train.lane, .bytes = bytes, .address = Address(way.to(), way.from(), way.connection())};
  }
};
static_assert(Message<BrokenConnection>);

}  // namespace lightrail::restart_control
