#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"
#include "network/transport/entropy_values.hpp"
#include "network/transport/flow_index.hpp"
#include "network/transport/loss_repair.hpp"
#include "network/wire/numbered_train.hpp"

namespace lightrail {

/// The sending side of a reliable connection over classes that lose: numbers trains, keeps what has not been
/// acknowledged, and says what is sent again.
///
/// Model: a flow (from, to, connection) is a queue pair.
///   go-back-N: a sequence error that names n acknowledges all before n, and everything from n on goes again.
///   selective repeat: what is not there goes again when something that was sent later is there (as RACK has
///   it, RFC 8985, without its window for packets that were overtaken).
///   trimming: what a notice names goes again. Every train is acknowledged by itself, and what is overtaken
///   is not taken for lost. All: when nothing was acknowledged for `timeout`, everything that is not there
///   goes again; `retries` times in a row, then the connection breaks.
/// Trains are numbered and lost as wholes. Leaves out a window: the line and congestion control limit what is
/// on the way (in_flight()).
class RepairSender {
 public:
  /// What is to be sent again: as it was, and where its bytes are read from (Injector::Source).
  struct Again {
    Frame frame{};
    std::uint16_t source = 0;
  };
  /// `lossy`: the lanes that lose, bit k for lane k; `name`: of the component.
  RepairSender(const LossRepairSettings& settings, std::uint8_t lossy, std::string name)
      : settings_(settings), lossy_(lossy), name_(std::move(name)) {}

  /// Who chooses the entropy values of what leaves; outlives this.
  void choose_by(EntropyValues& values) { values_ = &values; }
  [[nodiscard]] bool is_lossy(std::uint8_t lane) const { return (lossy_ >> lane & 1) != 0; }
  /// `frame` leaves at `at`, read from `source`. Returns it as it is to be on the wire: numbered where its
  /// lane loses and it is a train or control message.
  [[nodiscard]] Frame leaving(const Frame& frame, std::uint16_t source, SimTime at);
  /// Of a message that needs no token.
  static constexpr std::uint32_t no_token = 0xffffffff;
  /// `frame`, as leaving() gave it, was the last of a message with `token`. True: an answer will have the
  /// token when the message is there; false: it is complete as soon as it has left.
  [[nodiscard]] bool keep(const Frame& frame, std::uint64_t token);
  /// What an acknowledgement says.
  struct Answer {
    std::vector<Again> again{};        ///< what is lost, in the order of numbers
    std::int64_t arrived = 0;          ///< what was not known to be there [B]
    std::optional<SimTime> sent_at{};  ///< the tail of the last of that left then; nothing: it went twice
    std::uint16_t value = 0;           ///< entropy value of what it is about
    std::vector<std::uint32_t> complete{};  ///< tokens of messages that are there, and all before them
  };
  /// Valid until the next call. Null when nothing of its flow was sent from here.
  [[nodiscard]] const Answer* on_acknowledgement(const Acknowledgement& message, SimTime now);
  /// What is on the way of a flow: sent, not known to be there nor to be lost [B].
  [[nodiscard]] std::int64_t in_flight(std::uint64_t flow) const;

  /// Whether the next of a flow may leave: it was sent before, or there is a number for it.
  [[nodiscard]] bool may_send(std::uint64_t flow) const;

  /// When the timer of the flow of a train that left last is to be asked; nothing when it runs.
  [[nodiscard]] std::optional<SimTime> start_timer(const Address& address);
  struct Timeout {
    std::optional<SimTime> ask_again{};         ///< then on_timer() is to be called once more
    const std::vector<Again>* again = nullptr;  ///< never null: what is lost
    bool is_broken = false;                     ///< it was sent as often as it may
  };
  /// The timer of a flow has ended.
  [[nodiscard]] Timeout on_timer(const Address& address, SimTime now);
  /// Whether nothing of the flow is on the way: its timer is no reason to go on.
  [[nodiscard]] bool is_idle(const Address& address) const;

  /// What was given up.
  struct Forgotten {
    std::int64_t bytes = 0;               ///< of payload that are not known to be there [B]
    std::vector<std::uint32_t> tokens{};  ///< of messages that no answer will complete
  };
  /// What is on the way of a flow is given up.
  [[nodiscard]] Forgotten forget(const Address& address);

  struct Counts {  // of a lane
    std::int64_t trains = 0, again = 0, again_bytes = 0, timeouts = 0;
  };
  [[nodiscard]] const Counts& counts(std::uint32_t lane) const { return counts_[lane]; }
  /// "3 trains (196608 B) wait for acknowledgements"; empty: none does.
  [[nodiscard]] std::string waits_for() const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  static constexpr std::uint32_t none = FlowIndex::none;
  struct Sent {  // on the way, or to be sent again
    Frame frame{};
    SimTime at{};            ///< last time
    std::int64_t order = 0;  ///< of all that was sent from here, last time
    std::uint32_t next = none;
    std::uint16_t source = 0;
    std::uint8_t is_queued : 1 = 0;     ///< to be sent again, and has not been yet
    std::uint8_t was_repeated : 7 = 0;  ///< sent again: an acknowledgement may be of either sending
    std::uint8_t is_there = 0;          ///< acknowledged by itself
    std::uint32_t token = no_token;     ///< of the message that it ends
    std::uint32_t unused = 0;
  };
  struct Flow {
    std::uint32_t first = none, last = none;  ///< not acknowledged, by number
    SimTime progress_at{};                    ///< last acknowledgement of something new, or timeout
    std::int64_t in_flight = 0;               ///< [B]
    std::uint16_t next_number = 0;
    std::uint16_t retries = 0;
    std::uint32_t has_timer = 0;
    std::int64_t queued = 0;  ///< to be sent again, and have not been yet
  };
  [[nodiscard]] std::uint16_t number_of(const Frame& frame) const {
    return settings_.number_in(as<NumberedTrain>(frame).number);
  }
  [[nodiscard]] bool has_numbers(const Flow& flow) const;
  [[nodiscard]] Frame with_value(const Frame& frame);
  Frame leaving_first(const Frame& frame, std::uint16_t source, SimTime at);
  void leaving_again(const Frame& frame, SimTime at);
  Sent* find(const Flow& flow, std::uint16_t number);
  void arrive(Flow& flow, Sent& sent, SimTime now);
  void release_first(Flow& flow);
  std::int64_t release_before(Flow& flow, std::uint16_t number, SimTime now);
  void on_there(Flow& flow, std::uint16_t number, SimTime now);
  [[nodiscard]] SimTime oldest_on_the_way(const Flow& flow, SimTime now) const;
  void queue(Flow& flow, Sent& sent);
  void queue_sent_before(Flow& flow, std::int64_t order);
  void queue_all(Flow& flow);

  LossRepairSettings settings_;      ///< fixed
  std::uint8_t lossy_;               ///< fixed
  std::string name_;                 ///< fixed
  EntropyValues* values_ = nullptr;  ///< fixed; null: there is one
  FlowIndex index_;
  std::vector<Flow> flows_;
  std::vector<Sent> sent_;
  std::uint32_t free_ = none;
  std::int64_t order_ = 0;
  std::vector<Counts> counts_ = std::vector<Counts>(max_lanes);
  Answer answer_;  ///< of the last call: no state
};

}  // namespace lightrail
