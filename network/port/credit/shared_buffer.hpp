#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/base/error.hpp"
#include "network/wire/frame.hpp"

namespace lightrail {

/// The input buffer of one port whose lanes have a reserve each and share the rest, as its sender counts it:
///   free for lane k = max(reserve - used_k, 0) + max(pool - sum over lanes of max(used_i - reserve, 0), 0).
/// A lane fills its reserve first, and what it gives back leaves the pool first; so no lane can keep another
/// one from its reserve, and a lane alone has reserve + pool.
class SharedBuffer {
 public:
  SharedBuffer() = default;
  /// [B], each.
  SharedBuffer(std::int64_t reserve, std::int64_t pool) : reserve_(reserve), pool_(pool) {}

  /// What the lane may send now [B].
  [[nodiscard]] std::int64_t free(std::uint32_t lane) const {
    return std::max(reserve_ - used_[lane], std::int64_t{0}) + std::max(pool_ - shared_, std::int64_t{0});
  }
  /// Of the pool, what has been taken beyond it [B]: by messages that borrowed.
  [[nodiscard]] std::int64_t overdrawn() const { return std::max(shared_ - pool_, std::int64_t{0}); }
  void take(std::uint32_t lane, std::int64_t bytes) { set(lane, used_[lane] + bytes); }
  void give(std::uint32_t lane, std::int64_t bytes) {
    LIGHTRAIL_EXPECT(bytes <= used_[lane]);  // bytes are conserved
    set(lane, used_[lane] - bytes);
  }

  /// What changes: for checkpoints.
  struct State {
    std::array<std::int64_t, max_lanes> used{};
  };
  [[nodiscard]] State state() const { return {used_}; }
  void set(const State& state) {
    for (std::uint32_t lane = 0; lane < max_lanes; ++lane) set(lane, state.used[lane]);
  }

 private:
  [[nodiscard]] std::int64_t beyond(std::uint32_t lane) const {
    return std::max(used_[lane] - reserve_, std::int64_t{0});
  }
  void set(std::uint32_t lane, std::int64_t used) {
    shared_ -= beyond(lane);
    used_[lane] = used;
    shared_ += beyond(lane);
  }

  std::int64_t reserve_ = 0, pool_ = 0;
  std::int64_t shared_ = 0;                     ///< of the pool [B]
  std::array<std::int64_t, max_lanes> used_{};  ///< by lane [B]
};

}  // namespace lightrail
