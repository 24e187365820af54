#pragma once
#include <algorithm>
#include <compare>
#include <cstdint>

#include "engine/base/time.hpp"

namespace lightrail {

/// What a buffer of `capacity` behind a line holds for certain [B], by its sender's credits [B]. A receiver
/// withholds at most a quarter of what is free in its buffer (ReceiveTerms), so with v credits left at most
/// 4/3 v are free; 0 where the difference may be what is withheld.
[[nodiscard]] constexpr std::int64_t far_load(std::uint32_t capacity, std::uint32_t credits) {
  return std::max(std::int64_t{capacity} - std::int64_t{credits} - credits / 3, std::int64_t{0});
}

/// How much lies before a train at a port: what adaptive routing compares. To have to wait for the far end is
/// worse than any time that the line is taken, so both are one number.
class Backlog {
 public:
  /// More than any port's.
  Backlog() = default;
  /// `line`: how long the line would be busy if all that waits could go (>= 0, under 2^61 ps).
  Backlog(bool must_wait, SimTime line) : value_(line.count() + (must_wait ? waiting : 0)) {}

  /// Whether the train would have to wait for the far end.
  [[nodiscard]] bool must_wait() const { return value_ >= waiting; }
  [[nodiscard]] SimTime line() const { return SimTime{value_ & (waiting - 1)}; }
  /// Whether nothing lies before it.
  [[nodiscard]] bool is_empty() const { return value_ == 0; }
  /// As if the line were busy for longer.
  [[nodiscard]] Backlog operator+(SimTime more) const { return {must_wait(), line() + more}; }
  auto operator<=>(const Backlog&) const = default;  // NOLINT(modernize-use-nullptr): see Quantity

 private:
  static constexpr std::int64_t waiting = std::int64_t{1} << 61;
  std::int64_t value_ = 2 * waiting - 1;
};

}  // namespace lightrail
