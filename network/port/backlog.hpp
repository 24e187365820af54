#pragma once
#include <compare>
#include <cstdint>

#include "engine/base/time.hpp"

namespace lightrail {

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
  auto operator<=>(const Backlog&) const = default;

 private:
  static constexpr std::int64_t waiting = std::int64_t{1} << 61;
  std::int64_t value_ = 2 * waiting - 1;
};

}  // namespace lightrail
