#pragma once
#include <cstdint>

#include "engine/base/error.hpp"
#include "workloads/collective/transport.hpp"

namespace lightrail {

/// Who is told when a message has left, as an Injector carries it (Outgoing::token): the owner of a run,
/// whoever sent it as a part of a longer one (PartListener), or nobody.
class SendToken {
 public:
  [[nodiscard]] static SendToken nobody() { return SendToken{~std::uint64_t{0}}; }
  [[nodiscard]] static SendToken of(Owner owner) {
    LIGHTRAIL_EXPECT(owner.slot < 1u << 31);
    return SendToken{std::uint64_t{owner.slot} << 32 | owner.sub};
  }
  /// `message`: the PartListener's number of the whole.
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

/// Who is told when `transfer` has left.
[[nodiscard]] inline SendToken token_of(const Transfer& transfer) {
  if (!transfer.notify) return SendToken::nobody();
  return transfer.is_part ? SendToken::part_of(transfer.owner.slot) : SendToken::of(transfer.owner);
}

}  // namespace lightrail
