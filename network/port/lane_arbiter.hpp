#pragma once
#include <array>
#include <cstdint>

#include "engine/base/error.hpp"
#include "network/port/lane_weights.hpp"

namespace lightrail {

/// Whose turn it is among the lanes of one line: deficit round robin. A lane whose turn comes may send
/// weight x quantum bytes, and what it did not use of that stays its own until a turn finds it with nothing
/// that may leave; so
/// lanes that always have something share the line by their weights, to within one train, and a lane alone
/// has all of it.
///   M. Shreedhar, G. Varghese: Efficient fair queuing using deficit round-robin. IEEE/ACM Transactions on
///   Networking 4(3), 1996.
class LaneArbiter {
 public:
  static constexpr std::uint32_t none = max_lanes;

  LaneArbiter() = default;
  /// `quantum`: no train is longer (> 0) [B].
  LaneArbiter(const LaneWeights& weights, std::uint32_t quantum) : weights_(weights), quantum_(quantum) {}

  /// The lane that sends next, and its train is counted as sent; none: no lane can. `head(lane)`: bytes of
  /// the train that the lane would send now (<= quantum); 0: it has none, or it may not leave.
  template <class Head>
  [[nodiscard]] std::uint32_t next(Head&& head) {
    // A lane that can send does so at the latest when its turn comes round again.
    for (std::uint32_t i = 0; i <= 2 * max_lanes; ++i) {
      const std::uint32_t bytes = head(turn_);
      LIGHTRAIL_EXPECT(bytes <= quantum_);
      if (bytes > 0 && deficit_[turn_] >= bytes) {
        deficit_[turn_] -= bytes;
        return turn_;
      }
      if (bytes == 0) deficit_[turn_] = 0;
      turn_ = (turn_ + 1) % max_lanes;
      if (head(turn_) > 0) deficit_[turn_] += std::uint64_t{quantum_} * weights_.of[turn_];
    }
    return none;
  }

  /// What changes: for checkpoints.
  struct State {
    std::array<std::uint64_t, max_lanes> deficit{};
    std::uint64_t turn = 0;  // no padding
  };
  [[nodiscard]] State state() const { return {deficit_, turn_}; }
  void set(const State& state) { deficit_ = state.deficit, turn_ = static_cast<std::uint32_t>(state.turn); }

 private:
  LaneWeights weights_;
  std::uint32_t quantum_ = 1;
  std::array<std::uint64_t, max_lanes> deficit_{};  ///< [B]
  std::uint32_t turn_ = 0;
};

}  // namespace lightrail
