#pragma once
#include <array>
#include <cstdint>

#include "network/port/lane_weights.hpp"

namespace lightrail {

/// Whose turn it is among the lanes of one line: deficit round robin. A lane whose turn comes may send
/// weight x quantum bytes, and what it did not use of that is its own as long as it has something to send; so
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
      if (bytes > 0 && deficit_[turn_] >= bytes) {
        deficit_[turn_] -= bytes;
        return turn_;
      }
      if (bytes == 0) deficit_[turn_] = 0;
      turn_ = (turn_ + 1) % max_lanes;
      if (head(turn_) > 0) deficit_[turn_] += quantum_ * weights_.of[turn_];
    }
    return none;
  }

  /// What changes: for checkpoints.
  struct State {
    std::array<std::uint32_t, max_lanes> deficit{};
    std::uint32_t turn = 0;
  };
  [[nodiscard]] State state() const { return {deficit_, turn_}; }
  void set(const State& state) { deficit_ = state.deficit, turn_ = state.turn; }

 private:
  LaneWeights weights_;
  std::uint32_t quantum_ = 1;
  std::array<std::uint32_t, max_lanes> deficit_{};  ///< [B]
  std::uint32_t turn_ = 0;
};

}  // namespace lightrail
