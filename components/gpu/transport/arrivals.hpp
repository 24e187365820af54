#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/time.hpp"
#include "network/transport/flow_index.hpp"
#include "workloads/collective/transport.hpp"

namespace lightrail {

/// Bytes that have come in by (from, connection), and who waits for how many of them. Waits of a flow are
/// served in the order of asking; bytes that nobody waits for yet are kept. Plain state.
///
/// The end of a message is the tail of the train that completes it. Of bytes that came before the wait, only
/// the last train's tail is known: a message is complete then when the receiver asks, or at that tail if it
/// is still coming in.
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

  /// `bytes` of `flow` with the tail at `tail` (head now). Returns the flow's slot: call next() with it until
  /// it gives nothing.
  std::uint32_t add(std::uint64_t flow, std::int64_t bytes, SimTime head, SimTime tail);
  std::uint32_t expect(std::uint64_t flow, const Expectation& expectation);
  /// The next message of the flow in `slot` that is complete, given `now`.
  std::optional<Complete> next(std::uint32_t slot, SimTime now);
  void prefetch(std::uint64_t flow) const { index_.prefetch(flow); }
  /// Bytes that are here and that nobody waits for; 0 at the end of a run in which all that was sent came
  /// once.
  [[nodiscard]] std::int64_t unclaimed() const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  struct Flow {
    std::int64_t held_bytes = 0;
    SimTime head{}, tail{};
    std::uint32_t first_wait = none, last_wait = none;
  };
  struct Wait {
    std::int64_t wire_bytes = 0, payload_bytes = 0;
    SimTime after{};
    Owner owner{};
    std::uint32_t next = none;
    std::uint32_t is_counted = 0;
  };
  std::uint32_t slot_of(std::uint64_t key);

  FlowIndex index_;
  std::vector<Flow> flows_;
  std::vector<Wait> waits_;
  std::uint32_t free_wait_ = none;
};

}  // namespace lightrail
