#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "components/gpu/transport/arrivals.hpp"
#include "components/gpu/transport/path_host.hpp"
#include "components/gpu/transport/paths/path.hpp"
#include "network/transport/flow_index.hpp"
#include "network/transport/queue_pairs.hpp"
#include "workloads/collective/transport.hpp"

namespace lightrail {

/// One GPU's ends of connections over the network that have several queue pairs (QueuePairs): gives what it
/// sends to them, and puts together what comes in.
///
/// Model: a message is cut into one share for each queue pair that it uses, all posted at once: split, equal
/// parts; in turns, its chunks go by one queue pair after the other, from that behind the last chunk of the
/// message before. Both ends count alike, since members of a collective agree on the order of its messages
/// and those of a connection on the order of collectives; so the receiver knows what comes where, and hands
/// messages out in the order of asking: one that has come whole before the one ahead of it waits for that, as
/// NCCL reads its buffers in their order.
///
/// Not so where chunks are given to queue pairs by `least`, or in turns between a send and a receive, which
/// streams may bring in another order at either end: there the receiver takes what comes on any queue pair
/// for its first message, as where routes reorder. Under way are bytes that are handed over and not yet said
/// to have been sent (over NVLink to another GPU's NIC: not yet on NVLink). Leaves out that NCCL has no more
/// of a message under way than its buffer holds, so that of one long message `least` spreads all chunks at
/// once, and that a GPU which forwards shares (PXN) takes each for a request of its own.
class QueuePairEnds final : private MessageSplitter {
 public:
  /// Null: each connection has one queue pair.
  [[nodiscard]] static std::unique_ptr<QueuePairEnds> make(const BuildContext& build, PathHost& host);
  QueuePairEnds(const QueuePairs& pairs, PathHost& host);

  /// Of what goes to another server.
  [[nodiscard]] static bool takes(const Transfer& transfer) {
    return has_queue_pairs(transfer.connection, transfer.is_by_gpu);
  }
  /// Hands `transfer` to `path`, whole or in parts, each on its queue pair.
  void send(Context& context, const Transfer& transfer, Path& path);
  [[nodiscard]] MessageSplitter& receiver() { return *this; }

  /// Forgets all messages; returns how much payload had come of those that were not complete [B].
  std::int64_t drop_all();
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  /// A connection to a peer, or from it.
  struct Flow {
    std::uint32_t turn = 0;                   ///< queue pair of the next chunk, from 0 on
    std::uint32_t first = none, last = none;  ///< messages expected on it, in the order of asking
    std::uint32_t unused = 0;
    SimTime handed_at{};  ///< when the message was complete that was handed out last
  };
  /// The connections to all peers, or from them.
  struct Flows {
    FlowIndex index;
    std::vector<Flow> all;

    /// The place of the one with `peer`, made where it is new.
    std::uint32_t place_of(EndpointId peer, Connection connection);
  };
  /// A message that is expected.
  struct Incoming {
    EndpointId from{};
    Connection connection{};
    std::int64_t payload_bytes = 0, wire_bytes = 0;
    SimTime after{};
    Owner owner{};
    SimTime head = time_never, tail{};  ///< of what is here
    std::uint32_t shares_left = 0;
    std::uint32_t flow = 0;
    std::uint32_t next = none;  ///< of its connection; of free ones
    std::uint32_t is_counted = 0;
  };
  /// A message of which it is told when it has been sent, or with `least` a share of a queue pair.
  struct Sending {
    Owner owner{};
    std::int64_t bytes = 0;          ///< of a share
    std::uint32_t under_way = none;  ///< of a share: place in under_way_
    std::uint32_t whole = none;      ///< of a share: its message; none: nobody wants to know
    std::uint32_t shares_left = 1;   ///< of a message
    std::uint32_t next_free = none;
    SimTime sent_at{};  ///< of a message: the last of its shares so far
  };
  /// What a message gives `count` queue pairs in their order from `first` on [B on the wire]. Some may have
  /// nothing.
  struct Shares {
    std::uint32_t first = 0, count = 0;
    std::array<std::int64_t, QueuePairs::max_count> bytes{};
  };

  [[nodiscard]] static bool has_queue_pairs(Connection connection, bool is_by_gpu) {
    const auto phase = static_cast<Phase>(connection.phase());
    return !is_by_gpu && is_of_group(phase) && !is_control(phase);
  }
  /// Whether the receiver knows what comes on which queue pair.
  [[nodiscard]] bool is_counted(Connection connection) const {
    return pairs_.use == QueuePairUse::split ||
           (pairs_.use == QueuePairUse::turns &&
            static_cast<Phase>(connection.phase()) != Phase::point_to_point);
  }
  bool expect(Context& context, const Expectation& expected) override;
  bool arrive(Context& context, const Train& train, SimTime tail) override;
  [[nodiscard]] std::int64_t unclaimed_bytes() const override { return shares_.unclaimed(); }
  void on_part_sent(std::uint32_t message, SimTime at) override;

  [[nodiscard]] std::int64_t chunk_on_wire(Connection connection, std::int64_t payload,
                                           std::int64_t wire) const;
  [[nodiscard]] Shares shares_of(Flow& flow, Connection connection, std::int64_t payload,
                                 std::int64_t wire) const;
  [[nodiscard]] Shares least_shares(std::uint32_t flow, Connection connection, std::int64_t payload,
                                    std::int64_t wire);
  [[nodiscard]] std::uint32_t open(const Sending& message);
  [[nodiscard]] std::uint32_t open(const Incoming& message);
  void close(std::uint32_t outgoing);
  void settle(Context& context, std::uint32_t place);
  void hand_out(Context& context, Flow& flow);

  const QueuePairs& pairs_;
  PathHost& host_;
  Flows sending_, receiving_;
  std::vector<std::int64_t> under_way_;  ///< by place in sending_ and queue pair [B]; where `least`
  Arrivals shares_;                      ///< waits are told apart by places in incoming_
  std::vector<Incoming> incoming_;
  std::vector<Sending> outgoing_;
  std::uint32_t free_incoming_ = none, free_outgoing_ = none;
};

}  // namespace lightrail
