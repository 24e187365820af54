#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"
#include "network/transport/flow_index.hpp"
#include "network/transport/repair_sender.hpp"

namespace lightrail {

/// When a NIC may send flows that each have a rate, and how far each of them is; who changes the rates is
/// told of acknowledgements.
///
/// Model: a flow has the line's rate at first, and is between that and `least`. It pauses behind a train
/// until the train would have been sent at its rate; a rate that changes meanwhile counts for all of the
/// train. With a window no train is begun while as much is on the way as the line carries in `round_trip`,
/// times the flow's rate over the line's. Bytes are numbered along the flow; those that are sent again keep
/// their place.
class FlowRates {
 public:
  static constexpr std::uint32_t none = FlowIndex::none;
  /// `line`: the rate of the port; `round_trip`: of the window, 0: there is none; outlives this: `sender`.
  FlowRates(BitRate line, BitRate least, SimTime round_trip, const RepairSender& sender);

  /// The place of a flow that has sent something, in the order of their first trains; or `none`.
  [[nodiscard]] std::uint32_t find(std::uint64_t flow) const { return index_.find(flow); }
  /// As FlowPacing has it.
  [[nodiscard]] SimTime next_start(std::uint64_t flow) const;
  /// As FlowPacing has it; true: it is the first train of the flow, whose place is the highest.
  bool sent(std::uint64_t flow, SimTime at, std::uint32_t bytes, SimTime line);
  /// `bytes` more of the flow in `place` are there.
  void acknowledged(std::uint32_t place, std::int64_t bytes) { flows_[place].acknowledged += bytes; }

  [[nodiscard]] BitRate rate(std::uint32_t place) const { return BitRate{flows_[place].rate}; }
  /// No less than the least and no more than the line's.
  void set_rate(std::uint32_t place, std::int64_t bits_per_second);
  /// Bytes of the flow that are known to be there.
  [[nodiscard]] std::int64_t acknowledged_bytes(std::uint32_t place) const {
    return flows_[place].acknowledged;
  }
  /// Bytes of the flow that have been sent, once or more often.
  [[nodiscard]] std::int64_t sent_bytes(std::uint32_t place) const {
    return flows_[place].acknowledged + sender_->in_flight(flows_[place].key);
  }
  /// What may be on the way of a flow [B]; 0: there is no limit.
  [[nodiscard]] std::int64_t window_of(std::uint32_t place) const;

  void save(StateWriter& out) const { index_.save(out), out.put(flows_); }
  void load(StateReader& in) { index_.load(in), in.get(flows_); }

 private:
  struct Flow {
    std::uint64_t key = 0;
    std::int64_t rate = 0;          ///< [bit/s]
    SimTime sent_at{}, line{};      ///< of its last train: its start, and its time on the line
    std::int64_t train_bytes = 0;   ///< of it [B]
    std::int64_t acknowledged = 0;  ///< [B]
  };

  std::int64_t line_, least_;  ///< fixed [bit/s]
  std::int64_t window_;        ///< fixed: at the line's rate [B]
  const RepairSender* sender_;
  FlowIndex index_;
  std::vector<Flow> flows_;
};

}  // namespace lightrail
