#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/prefetch.hpp"
#include "engine/base/small_array.hpp"
#include "engine/model/hot_lines.hpp"
#include "engine/model/state_io.hpp"
#include "network/transport/sent_batch.hpp"
#include "network/wire/frame.hpp"

namespace lightrail {

/// Whose turn it is among the flows that one line sends, in rings that are served apart (one a source and
/// lane).
///
/// In a plain ring flows take turns as they stand, and a new one comes behind all others: as single packets
/// do, and on NVLink also trains, whose order must be the same on all GPUs, since an NVSwitch reduces what
/// has come from all of them. A flow whose trains are longer than the shortest of the ring owes the others
/// what it sent beyond that; each turn that it misses pays for one of the shortest (surplus round robin). So
/// flows have equal shares of the line in bytes, as in packets, but those of a single train, and trains that
/// are all of one length take turns as they stand.
///
/// Trains that enter a fabric in such turns would end messages up to a round of trains early or late: of
/// eight flows with 12 packets a train, 84 packets. So in the other rings each flow keeps the position that
/// packets in turns would have reached (the virtual time of fair queueing, all weights equal [B]): it
/// advances by what the flow sends, and a new flow begins at the mean of those that are there. The turn of a
/// train is the middle of the stretch that it stands for, as half of its packets would have gone before; of
/// the last train of a message it is the end, which is when the message would be complete. The lowest turn is
/// first, of equal ones the one that was given first.
class FlowTurns {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  /// What is on the wire of a message, and is to be.
  struct Message {
    Frame head{};           ///< of its frames, but for their packets; `bytes` is of a train in turns at most
    std::int64_t left = 0;  ///< to be sent [B]
    std::uint64_t token = 0;
    std::uint32_t next = none;  ///< of those that wait behind another, the owner's
    SentBatch batch{};
  };
  /// Messages of one (from, to, connection), in order of posting: all that a train needs, in one line.
  struct alignas(64) Flow {
    Message message{};                        ///< the first
    std::uint32_t first = none, last = none;  ///< that wait behind it, the owner's
    std::uint32_t next = none;                ///< in a plain ring, circular; of free ones
    std::uint32_t previous = none;            ///< in a plain ring
    std::int64_t position = 0;                ///< what it sent; in a plain ring what it owes [B]
  };
  static_assert(sizeof(Flow) == 64);

  /// `rings`: how many, of which the first `plain_rings` are plain; no train is longer than `train_bytes`
  /// [B].
  FlowTurns(std::uint32_t rings, std::uint32_t plain_rings, std::uint32_t train_bytes);

  Flow& operator[](std::uint32_t flow) { return flows_[flow]; }
  const Flow& operator[](std::uint32_t flow) const { return flows_[flow]; }
  [[nodiscard]] bool is_empty(std::uint32_t ring) const { return rings_[ring].count == 0; }
  /// Rings that have flows, bit k for ring k; all where there are more than knows_busy() can say.
  [[nodiscard]] std::uint32_t busy() const { return busy_; }
  [[nodiscard]] bool knows_busy() const { return rings_.size() <= 32; }
  /// Flows in a ring.
  [[nodiscard]] std::uint32_t count(std::uint32_t ring) const { return rings_[ring].count; }
  /// The flow whose turn it is; the ring must not be empty.
  [[nodiscard]] std::uint32_t first(std::uint32_t ring) const { return rings_[ring].first; }
  /// The message whose turn it is.
  [[nodiscard]] const Message& first_message(std::uint32_t ring) const {
    return flows_[rings_[ring].first].message;
  }

  /// A new flow in `ring`. Returns its place.
  std::uint32_t add(std::uint32_t ring, const Message& message);
  /// The first flow has sent `bytes`; `left` bytes of its message, or of the next one, are to be sent, in
  /// trains of `longest` as far as is known.
  void sent(std::uint32_t ring, std::uint32_t bytes, std::int64_t left, std::uint32_t longest) {
    if (!is_plain(ring)) return sent_in_turn(ring, bytes, left, longest);
    Ring& r = rings_[ring];
    Flow& flow = flows_[r.first];
    r.first = flow.next;
    if (r.count > 1) charge(r, flow, bytes);
  }
  /// The first flow, with `left` bytes of its message to be sent, misses its turn.
  void pass(std::uint32_t ring, std::int64_t left);
  /// The first flow has nothing more to send: its place is free.
  void remove_first(std::uint32_t ring);

  void save(StateWriter& out) const;
  void load(StateReader& in);
  /// What prefetch() reads.
  void tell_hot(HotLines& lines) const { lines.add_all(flows_, fair_); }
  /// The flows whose turn it is, and what says whose it is next.
  void prefetch() const {
    for (std::uint32_t rings = knows_busy() ? busy_ : 0; rings != 0; rings &= rings - 1) {
      const auto ring = static_cast<std::uint32_t>(std::countr_zero(rings));
      prefetch_line(&flows_[rings_[ring].first]);
      if (!is_plain(ring)) prefetch_line(&fair_[ring]);
    }
  }

 private:
  struct Ring {
    std::uint32_t first = none;  ///< the one whose turn it is
    std::uint32_t count = 0;     ///< flows
    // In a plain ring:
    std::uint32_t owing = 0;     ///< flows that owe
    std::uint32_t shortest = 0;  ///< train of these flows, or one that was here with them [B]
  };
  /// When a flow sends next.
  struct Turn {
    std::int64_t at = 0;      ///< [B]
    std::uint64_t order = 0;  ///< of turns given in the ring
    std::uint32_t flow = none;
    std::uint32_t unused = 0;
    [[nodiscard]] bool operator>(const Turn& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  /// What a ring that is not plain has too. Never across two cache lines.
  struct alignas(64) FairRing {
    std::int64_t positions = 0;  ///< sum over its flows [B]
    std::uint64_t given = 0;     ///< turns so far
    std::vector<Turn> turns;     ///< a heap, lowest first
  };

  [[nodiscard]] bool is_plain(std::uint32_t ring) const { return ring < plain_rings_; }
  /// `flow` of a plain ring has sent `bytes` and is no longer its first.
  void charge(Ring& ring, Flow& flow, std::uint32_t bytes) {
    ring.shortest = std::min(ring.shortest, flow.message.head.bytes);
    flow.position = std::max(flow.position + bytes, std::int64_t{0}) - ring.shortest;
    if (flow.position > 0) ++ring.owing;
    if (ring.owing != 0) skip_owing(ring);
  }
  template <class Function>
  void for_each(const Ring& ring, Function&& function);
  void find_shortest(Ring& ring);
  void skip_owing(Ring& ring);
  void skip_rounds(Ring& ring);
  void sent_in_turn(std::uint32_t ring, std::uint32_t bytes, std::int64_t left, std::uint32_t longest);
  std::uint32_t new_flow();
  /// After its count has changed.
  void note_busy(std::uint32_t ring) {
    if (!knows_busy()) return;
    const std::uint32_t bit = 1u << ring;
    busy_ = rings_[ring].count == 0 ? busy_ & ~bit : busy_ | bit;
  }
  [[nodiscard]] Turn turn(std::uint32_t ring, std::uint32_t flow, std::int64_t left, std::int64_t longest);
  static void replace_first(std::vector<Turn>& heap, const Turn& turn);

  std::vector<Flow> flows_;
  SmallArray<Ring, 8> rings_;  ///< of a NIC with two lanes, a GPU, a host and a port: all
  std::uint32_t free_flow_ = none;
  std::uint32_t plain_rings_;         ///< fixed
  std::uint32_t train_bytes_;         ///< fixed [B]
  std::uint32_t busy_;                ///< follows from rings_
  std::unique_ptr<FairRing[]> fair_;  ///< by ring; null where all are plain
};

}  // namespace lightrail
