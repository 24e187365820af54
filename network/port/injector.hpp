#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/prefetch.hpp"
#include "engine/base/small_array.hpp"
#include "engine/model/hot_lines.hpp"
#include "network/port/egress_bank.hpp"
#include "network/port/flow_turns.hpp"
#include "network/port/lane_arbiter.hpp"
#include "network/port/train_lengths.hpp"
#include "network/transport/flow_index.hpp"
#include "network/transport/flow_pacing.hpp"
#include "network/transport/repair_sender.hpp"
#include "network/transport/sent_batch.hpp"

namespace lightrail {

/// A message to be put on the wire.
struct Outgoing {
  EndpointId from{}, to{};
  Connection connection{};
  std::int64_t bytes = 0;  ///< > 0 [B]; control: at most one packet
  std::uint8_t lane = 0;
  /// What its frames are. Control messages (also delegated_control) go ahead of payload.
  MessageKind kind = MessageKind::train;
  std::uint16_t source = 0;  ///< where its bytes are read from (Injector::Source)
  std::uint64_t token = 0;   ///< handed back when the message has been sent
  std::uint16_t mark = 0;    ///< Frame::detail of its frames; 0: their packets, but of a DelegatedTrain
  bool is_counted = false;   ///< its frames, trains, are counted in batches (CountedTrain)
  /// Of a part of a message that was cut before: how long the trains were then [B]; 0: it is whole
  /// (TrainLengths).
  std::uint32_t longest = 0;
};

/// What goes on the wire as `head` has it, `bytes` of what has been cut before, read from `source`.
[[nodiscard]] inline Outgoing outgoing(const Frame& head, std::int64_t bytes, std::uint16_t source,
                                       std::uint64_t token) {
  const Address& way = head.address;
  return {way.from(), way.to(), way.connection(), bytes, head.lane, head.kind,
          source,     token,    head.detail,      false, head.bytes};
}

/// Told when the last byte of a message leaves on the wire: at `tail` (>= now). May post, not pump.
class SentListener {
 public:
  virtual void on_sent(Context& context, std::uint64_t token, SimTime tail) = 0;

 protected:
  ~SentListener() = default;
};

/// Cuts messages into trains, shorter ones while credits are few, in a stretch, or of small messages
/// (TrainLengths), and feeds them to one port: messages of one (from, to, connection) one after the
/// other, different ones in turns (FlowTurns), sources in turns of one train, lanes of a NIC by their weights
/// where these are given (LaneWeights), control messages first.
///
/// Self-clocked: a train is chosen when the line is free, or will be within `send-ahead`, and its lane
/// is open; one wake is pending at most while the line is busy, none while the far end lets nothing go (its
/// message calls pump). With send-ahead control messages go between the packets of trains that have the line,
/// borrowing from those that have not begun where their lane is shut. A source that reads at less than the
/// line's rate limits its own trains: a train starts when its tail cannot overtake the reading. Assumes
/// unlimited prefetch of one train. Under congestion control flows pause between their trains
/// (FlowPacing) and others have their turns. State is plain; a steady state allocates nothing.
class Injector {
 public:
  /// What feeds messages: the rate at which their bytes can be read; 0: not a limit.
  struct Source {
    BitRate read_rate;
  };
  /// Feeds `port` of `build`'s component. Wakes carry `wake_tag` (InjectorWake); the owner tells its
  /// injectors' wakes apart by it. `latency`: from choosing a train to its head on the wire; trains follow
  /// one another without gap. `all_lines`: of the ports that its sources feed, together; 0: of this one.
  Injector(const BuildContext& build, PortIndex port, std::uint32_t wake_tag,
           const std::vector<Source>& sources = {{}}, SimTime latency = SimTime{0},
           BitRate all_lines = BitRate{});

  /// Takes a message; nothing is sent before pump.
  void post(const Outgoing& message, SimTime now);
  /// The same for what was sent before and is sent again: ahead of all others of its (from, to, connection).
  void post_first(const Outgoing& message, SimTime now);
  /// Who numbers what leaves and keeps it until it is acknowledged; outlives this.
  void repair_by(RepairSender& repair) { repair_ = &repair; }
  /// How fast its flows may send, named by the word of their Address.
  void pace_by(std::unique_ptr<FlowPacing> pacing) {
    own_pacing_ = std::move(pacing);
    pacing_ = own_pacing_.get();
  }
  /// Its flows have the pace of `first`, which sends them by another port, too; outlives this.
  void share_pace(Injector& first);
  /// Sources feed other ports, too: when the next train of each may be read is in `clocks`; outlives this.
  void read_by(std::vector<SimTime>& clocks) { clocks_ = &clocks; }
  /// Starts what can start; nothing while the port's link is down, and who owns it asks again when that
  /// changes. Call after post, on this injector's wake and after each message of the port's flow
  /// control.
  void pump(Context& context, EgressBank& egress, SentListener& listener);
  /// Congestion notices of `marks` packets of a flow that it sends have come back. Only where there is
  /// congestion control (CongestionControl, Dcqcn).
  void slow_down(EndpointId from, EndpointId to, Connection connection, std::uint32_t marks, SimTime now);

  /// For wakes: pump, and the wake is no longer pending.
  void on_wake(Context& context, EgressBank& egress, SentListener& listener);

  /// What is left of a message that has not been sent to its end.
  struct Rest {
    Frame head{};  ///< as its frames would have it, but for their packets; `bytes` as Message has it
    std::int64_t bytes = 0;
    std::uint64_t token = 0;
    std::uint16_t source = 0;  ///< 0 for control messages, which are read from nowhere

    /// To be posted as it was.
    [[nodiscard]] Outgoing message() const { return outgoing(head, bytes, source, token); }
  };
  /// Gives up all messages: the rest of each, those of one (from, to, connection) in order of posting.
  [[nodiscard]] std::vector<Rest> take_all();

  [[nodiscard]] bool is_idle() const { return active_messages_ == 0; }
  [[nodiscard]] std::uint32_t active_messages() const { return active_messages_; }
  [[nodiscard]] std::int64_t active_bytes() const {
    return active_bytes_;
  }  ///< posted and not yet on the wire [B]

  void save(StateWriter& out) const;
  void load(StateReader& in);
  /// What prefetch() reads.
  void tell_hot(HotLines& lines) const { turns_.tell_hot(lines); }
  /// Fetches what a wake touches.
  void prefetch() const {
    prefetch_at(this);
    turns_.prefetch();
  }
  /// The same of the object alone that is, or may be, at `place`: nothing of it is read.
  static void prefetch_at(const void* place) { prefetch_lines(place, offsetof(Injector, waiting_)); }

 private:
  static constexpr std::uint32_t none = FlowTurns::none;
  using Message = FlowTurns::Message;
  struct SourceState {
    SimTime free_at{};  ///< when its next train may be read
    std::uint32_t active = 0;
    std::uint32_t unused = 0;
    LineTime reader;  ///< fixed: rate 0 unless it is slower than the line
  };

  Injector(const BuildContext& build, const PortEnd& end, PortIndex port, std::uint32_t wake_tag,
           const std::vector<Source>& sources, SimTime latency, BitRate all_lines, bool enters_fabric);
  enum class Order : std::uint8_t { last, first };
  void add(const Outgoing& message, SimTime now, Order order);
  /// Of the next train of `message`, the first of `ring`, if it begins at `at`, at most [B].
  [[nodiscard, gnu::always_inline]] std::uint32_t longest_train(std::uint32_t ring, const Message& message,
                                                                SimTime at) const {
    const bool is_train = message.head.kind == MessageKind::train;
    std::uint32_t longest = lengths_.vary() && is_train ? lengths_.longest(message.head.lane) : train_bytes_;
    if (enters_fabric_ || turns_.count(ring) > 1) longest = std::min(longest, message.head.bytes);
    return lengths_.have_stretches() ? lengths_.cut(longest, message.head.kind, at) : longest;
  }
  [[nodiscard]] std::uint32_t next_bytes(std::uint32_t ring, SimTime at) const {
    const Message& message = turns_.first_message(ring);
    return static_cast<std::uint32_t>(std::min<std::int64_t>(message.left, longest_train(ring, message, at)));
  }
  SimTime read_lag(std::uint32_t source, std::uint32_t bytes, EgressBank& egress);
  [[nodiscard]] std::uint32_t choose_control(const Context& context, const EgressBank& egress) const {
    const bool has_some = (turns_.busy() & ((1u << lanes_) - 1)) != 0;
    return has_some ? choose_among_control(context, egress) : none;
  }
  [[nodiscard]] std::uint32_t choose_among_control(const Context& context, const EgressBank& egress) const;
  std::uint32_t choose(const Context& context, EgressBank& egress, SimTime at, SimTime& earliest);
  std::uint32_t choose_by_weight(const Context& context, EgressBank& egress, SimTime at, SimTime& earliest);
  [[nodiscard]] bool is_ready(std::uint32_t ring, const Context& context, EgressBank& egress, SimTime at,
                              SimTime& earliest);
  /// The same of any ring.
  [[nodiscard]] bool is_ready_too(std::uint32_t ring, const Context& context, EgressBank& egress, SimTime at,
                                  SimTime& earliest);
  [[nodiscard]] bool turn_to_unpaused(std::uint32_t ring, SimTime at, SimTime& earliest);
  std::uint32_t keep_waiting(const Message& message);
  void finish_message(std::uint32_t ring, std::uint32_t bytes, std::uint32_t longest);
  void send_from(std::uint32_t ring, SimTime at, Context& context, EgressBank& egress,
                 SentListener& listener);
  Frame number(const Frame& train, std::uint32_t ring, SimTime tail, Context& context);
  void wake_at(SimTime at, Context& context);
  /// When the next train of a source may be read.
  SimTime& read_at(std::uint32_t source) { return clocks_ ? (*clocks_)[source] : sources_[source].free_at; }
  [[nodiscard]] bool is_control(std::uint32_t ring) const { return ring < lanes_; }
  [[nodiscard]] std::uint32_t source_of(std::uint32_t ring) const { return (ring - lanes_) / lanes_; }

  // First what prefetch() reads, then what a wake touches; what messages begin and end with, and turns of
  // weighted lanes, come last.
  FlowTurns turns_;  ///< rings: control by lane, then payload by source and lane
  PortIndex port_;
  std::uint32_t wake_tag_, mtu_bytes_, train_bytes_, lanes_;
  SimTime latency_, ahead_;
  std::uint32_t active_messages_ = 0;
  std::uint32_t next_ring_ = 0;
  std::int64_t active_bytes_ = 0;
  SimTime wake_time_ = time_never;
  const LaneWeights* weights_;              ///< fixed; null: lanes take no turns
  FlowPacing* pacing_ = nullptr;            ///< fixed; null: no congestion control
  std::vector<SimTime>* clocks_ = nullptr;  ///< fixed; null: sources feed this port alone
  RepairSender* repair_ = nullptr;          ///< fixed; null: nothing is ever lost
  bool enters_fabric_;                      ///< fixed
  SmallArray<SourceState, 3> sources_;
  TrainLengths lengths_;

  std::vector<Message> waiting_;  ///< behind the first of their flows
  std::uint32_t free_waiting_ = none;
  std::uint32_t batches_ = 0;  ///< so many have been counted
  FlowIndex index_;
  std::unique_ptr<FlowPacing> own_pacing_;  ///< null: none, or it is another port's
  LaneArbiter arbiter_;
  std::array<std::uint32_t, max_lanes> next_source_{};  ///< by lane; where lanes have weights
};

}  // namespace lightrail
