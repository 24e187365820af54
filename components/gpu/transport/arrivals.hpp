#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "engine/base/hash.hpp"
#include "engine/base/prefetch.hpp"
#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"
#include "workloads/collective/transport.hpp"

namespace lightrail {

/// Bytes that have come in by (from, connection), and who waits for how many of them. Waits of a flow are
/// served in the order of asking; bytes that nobody waits for yet are kept. Plain state.
///
/// The end of a message is the tail of the train that completes it. Where its bytes came before the wait, it
/// is complete when the receiver asks, or at the tail that it ends with if that is still coming in: of the
/// last train, or, where that is of a later message, of those before it.
///
/// Flows are in an open-addressing table with all that a train needs, so that one that completes nothing
/// touches one line. They stay for good, and nobody goes over them but unclaimed(), whose sum knows no
/// order.
class Arrivals {
 public:
  /// A message that is complete at `at`.
  struct Complete {
    Owner owner{};
    SimTime at{};     ///< tail of its last train
    SimTime after{};  ///< software time that follows
    SimTime head{};   ///< first head of the bytes the flow held
    std::int64_t payload_bytes = 0;
    bool is_counted = false;  ///< Expectation::is_counted
  };

  /// `bytes` of `flow` with the tail at `tail` (head now). Returns the flow's place: call next() with it
  /// until it gives nothing. It lasts until another flow is new.
  std::uint32_t add(std::uint64_t flow, std::int64_t bytes, SimTime head, SimTime tail);
  std::uint32_t expect(std::uint64_t flow, const Expectation& expectation);
  /// The next message of the flow in `place` that is complete, given `now`.
  std::optional<Complete> next(std::uint32_t place, SimTime now) {
    if (flows_[place].held_bytes < flows_[place].needed_bytes) return std::nullopt;
    return take(flows_[place], now);
  }
  void prefetch(std::uint64_t flow) const {
    if (flows_.empty()) return;
    prefetch_line(&flows_[home(flow)]);
  }
  /// Bytes that are here and that nobody waits for; 0 at the end of a run in which all that was sent came
  /// once.
  [[nodiscard]] std::int64_t unclaimed() const;

  /// Of messages that somebody waits for, on the wire [B].
  [[nodiscard]] std::int64_t awaited_bytes() const;
  /// Forgets all flows and waits; returns how much payload had come from others than `self` of messages that
  /// were not complete or that nobody had asked for [B].
  std::int64_t drop_all(EndpointId self);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t unused = -1;
  struct alignas(64) Flow {
    std::uint64_t key = 0;
    std::int64_t held_bytes = 0;
    std::int64_t needed_bytes = unused;  ///< of its first wait; `never`: nobody waits; `unused`: no flow
    SimTime head{}, tail{};
    SimTime tail_before{};  ///< of all trains but the last
    std::uint32_t first_wait = none, last_wait = none;
    std::uint32_t last_bytes = 0;  ///< of the last train
    std::uint32_t gap = 0;
  };
  struct Wait {
    std::int64_t wire_bytes = 0, payload_bytes = 0;
    SimTime after{};
    Owner owner{};
    std::uint32_t next = none;
    std::uint32_t is_counted = 0;
  };
  [[nodiscard]] std::size_t home(std::uint64_t key) const { return mix64(key) & (flows_.size() - 1); }
  /// The place of the flow, made where it is new.
  std::uint32_t place_of(std::uint64_t key);
  [[nodiscard]] std::size_t search(std::uint64_t key) const;
  void grow();
  Complete take(Flow& flow, SimTime now);

  std::vector<Flow> flows_;  ///< a power of two, at most three quarters in use
  std::uint64_t count_ = 0;  ///< in use
  std::vector<Wait> waits_;
  std::uint32_t free_wait_ = none;
};

}  // namespace lightrail
