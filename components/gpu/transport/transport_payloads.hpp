#pragma once
#include "engine/base/error.hpp"
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

/// Who is told when a message has left, as an Injector carries it (Outgoing::token): the owner of a run, the
/// path that sent it as a part of a longer one, or nobody.
class SendToken {
 public:
  [[nodiscard]] static SendToken nobody() { return SendToken{~std::uint64_t{0}}; }
  [[nodiscard]] static SendToken of(Owner owner) {
    LIGHTRAIL_EXPECT(owner.slot < 1u << 31);
    return SendToken{std::uint64_t{owner.slot} << 32 | owner.sub};
  }
  /// `message`: the path's number of the whole.
  [[nodiscard]] static SendToken part_of(std::uint32_t message) { return SendToken{part_bit | message}; }
  /// Injectors hand back what they were given.
  [[nodiscard]] static SendToken from(std::uint64_t value) { return SendToken{value}; }

  [[nodiscard]] std::uint64_t value() const { return value_; }
  [[nodiscard]] bool is_for_nobody() const { return value_ == nobody().value_; }
  [[nodiscard]] bool is_part() const { return !is_for_nobody() && (value_ & part_bit) != 0; }
  [[nodiscard]] std::uint32_t message() const { return static_cast<std::uint32_t>(value_); }
  [[nodiscard]] Owner owner() const {
    return {static_cast<std::uint32_t>(value_ >> 32), static_cast<std::uint32_t>(value_)};
  }

 private:
  static constexpr std::uint64_t part_bit = std::uint64_t{1} << 63;
  explicit SendToken(std::uint64_t value) : value_(value) {}
  std::uint64_t value_;
};

/// Payload::bytes has 32 bits: larger messages go in pieces [B].
inline constexpr std::int64_t max_piece = std::int64_t{1} << 30;

[[nodiscard]] inline Payload wake_payload(GpuWake kind, Owner owner = {}) {
  Payload p;
  p.kind = static_cast<std::uint8_t>(kind);
  p.a = owner.slot;
  p.b = owner.sub;
  return p;
}

}  // namespace lightrail
