#pragma once
#include <cstdint>

#include "network/wire/message.hpp"
#include "network/wire/train.hpp"
#include "workloads/collective/transport.hpp"

namespace lightrail {

/// Kinds of a GPU's events to itself beside MessageKind::wake, which its Injectors have.
enum class GpuWake : std::uint8_t {
  received = 32,    ///< a message has come (OwnerWake)
  timer,            ///< Transport::wake_after (OwnerWake)
  op_end,           ///< an operation ends (OpEndWake)
  forward_train,    ///< a train for another GPU is whole (ForwardWake)
  forward_control,  ///< the same, a control message
  proxy,            ///< the proxy thread's (PlainWake)
  rail,             ///< a circuit has been idle for long enough (PlainWake)
  launched,         ///< the host has launched an operation that is ready (PlainWake)
  pace,             ///< the GPU becomes slower or faster, stands still or goes on (PlainWake)
  watchdog,         ///< some operation may have taken too long (PlainWake)
  back              ///< after a restart: the first step begins (PlainWake)
};
[[nodiscard]] inline GpuWake gpu_wake_of(const Payload& payload) {
  return static_cast<GpuWake>(payload.kind());
}

/// For the owner of a run of CommEngine. Timers of a program are of an attempt of its job.
struct OwnerWake {
  GpuWake kind = GpuWake::received;
  std::uint8_t attempt = 0;
  std::uint8_t unused[6] = {};
  Owner owner{};

  [[nodiscard]] static constexpr bool carries(GpuWake kind) {
    return kind == GpuWake::received || kind == GpuWake::timer;
  }
};
static_assert(Message<OwnerWake>);

/// In registers, for the events of every message.
[[nodiscard]] inline Payload to_payload(const OwnerWake& wake) {
  return payload_of(static_cast<std::uint8_t>(wake.kind) | std::uint64_t{wake.attempt} << 8,
                    wake.owner.slot | std::uint64_t{wake.owner.sub} << 32);
}

/// The end of an operation, unless it was set anew since.
struct OpEndWake {
  GpuWake kind = GpuWake::op_end;
  std::uint8_t attempt = 0;
  std::uint8_t unused[6] = {};
  std::uint32_t op = 0;       ///< index in the program
  std::uint32_t setting = 0;  ///< how often its end was set

  [[nodiscard]] static constexpr bool carries(GpuWake kind) { return kind == GpuWake::op_end; }
};
static_assert(Message<OpEndWake>);

/// A train or control message that is whole here goes on to another GPU.
struct ForwardWake {
  GpuWake kind = GpuWake::forward_train;
  std::uint8_t lane = 0;  ///< virtual lane
  std::uint16_t unused_low : 2 = 0;
  std::uint16_t is_resent : 1 = 0;  ///< an optical switch could not pass it on
  std::uint16_t unused : 10 = 0;
  std::uint16_t retries : retry_bits = 0;  ///< how often it was sent again
  std::uint32_t bytes = 0;                 ///< [B]
  Address address{};

  [[nodiscard]] static constexpr bool carries(GpuWake kind) {
    return kind == GpuWake::forward_train || kind == GpuWake::forward_control;
  }
  [[nodiscard]] constexpr bool is_train() const { return kind == GpuWake::forward_train; }
};
static_assert(Message<ForwardWake>);

/// A time that is due: of the proxy thread, of a circuit, of the host, of a fault, of the program.
struct PlainWake {
  GpuWake kind = GpuWake::proxy;
  std::uint8_t attempt = 0;  ///< of the program's
  std::uint8_t unused[14] = {};

  [[nodiscard]] static constexpr bool carries(GpuWake kind) {
    return kind == GpuWake::proxy || kind == GpuWake::rail ||
           (kind >= GpuWake::launched && kind <= GpuWake::back);
  }
};
static_assert(Message<PlainWake>);

/// In which attempt a GPU has set itself the timer of `payload`; 0 of kinds that belong to none.
[[nodiscard]] inline std::uint8_t attempt_of(const Payload& payload) {
  switch (gpu_wake_of(payload)) {
    case GpuWake::received:
    case GpuWake::timer:
      return as<OwnerWake>(payload).attempt;
    case GpuWake::op_end:
      return as<OpEndWake>(payload).attempt;
    case GpuWake::launched:
    case GpuWake::watchdog:
    case GpuWake::back:
      return as<PlainWake>(payload).attempt;
    case GpuWake::forward_train:
    case GpuWake::forward_control:
    case GpuWake::proxy:
    case GpuWake::rail:
    case GpuWake::pace:
      return 0;
  }
  return 0;
}

/// `train`, a train or control message, when it goes on.
[[nodiscard]] inline ForwardWake forward_wake(const Train& train) {
  return {.kind = train.kind == MessageKind::train ? GpuWake::forward_train : GpuWake::forward_control,
          .lane = train.lane,
          .bytes = train.bytes,
          .address = train.address};
}

}  // namespace lightrail
