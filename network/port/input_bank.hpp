#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/small_array.hpp"
#include "engine/model/component.hpp"
#include "network/port/port_end.hpp"
#include "network/wire/frame.hpp"

namespace lightrail {

/// The receiving side of all ports of one component: gives the far end its credits back when trains have left
/// the input buffer.
///
/// Credits are collected and returned in batches of half a buffer, or of a buffer minus the longest train of
/// its links where that is less: what is collected and not yet returned can then never starve the sender.
/// Behind an optical switch they are returned one by one, because the sender may be switched to another
/// receiver. A batch leaves when the last of its trains has left. Credits take no line time.
class CreditReturn {
 public:
  /// Throws InputErrors when a buffer does not hold one train of the component's links.
  explicit CreditReturn(const BuildContext& build);

  /// The tail of `train`, which came in on `port`, leaves its buffer at `at` (>= now).
  void freed(Context& context, PortIndex port, const Frame& train, SimTime at) {
    if (lanes_ == 0) return;
    LIGHTRAIL_EXPECT(train.lane < lanes_);
    Pending& pending = pending_[train.lane * port_count_ + port];
    if (pending.batch_bytes == no_return) return;
    pending.bytes += train.bytes;
    pending.at = std::max(pending.at, at);
    if (pending.bytes >= pending.batch_bytes) give_back(context, port, train.lane, pending);
  }

  void save(StateWriter& out) const {
    for (const Pending& pending : pending_) out.put(pending);
  }
  void load(StateReader& in) {
    for (Pending& pending : pending_) in.get(pending);
  }
  void prefetch_all() const {
    // Payload goes on the first lane; the others are rarely needed.
    for (std::size_t i = 0; i < port_count_ && i < pending_.size(); i += 4)
      __builtin_prefetch(&pending_[i], 1);
  }

 private:
  static constexpr std::uint32_t no_return = 0xffffffff;
  struct Pending {
    SimTime at{};
    std::uint32_t bytes = 0;
    std::uint32_t batch_bytes = no_return;  ///< fixed; no_return: nothing is given back on this port
  };
  void give_back(Context& context, PortIndex port, std::uint8_t lane, Pending& pending);

  struct Ends {
    std::vector<PortEnd> ports;
    std::int64_t longest = 0;  ///< train of any of them [B]
    std::uint32_t lanes = 0;
  };
  explicit CreditReturn(const Ends& ends);
  static Ends ends_of(const BuildContext& build);

  std::uint32_t port_count_;
  std::uint32_t lanes_;             ///< of the port that has most
  SmallArray<Pending, 6> pending_;  ///< by lane and port
};

}  // namespace lightrail
