#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"
#include "network/transport/flow_index.hpp"
#include "network/transport/loss_repair.hpp"
#include "network/wire/numbered_train.hpp"

namespace lightrail {

/// The receiving side of a reliable connection over classes that lose: which numbered trains are new, and
/// what is answered. Every train of a flow is given to its device once and in order.
///
/// Model: everything in order is acknowledged train by train, also what came twice. What comes behind a train
/// that is missing go-back-N discards, and tells the sender of the missing one: once, and again when it is
/// missing still after `error_interval`. Selective repeat acknowledges it by itself and writes it to memory;
/// the device is told when all before it are there. With trimming every train is acknowledged by itself, and
/// one that comes without its payload is answered by a notice that names it.
class RepairReceiver {
 public:
  enum class Place : std::uint8_t {
    next,   ///< the one that is due
    early,  ///< one before it is missing
    late    ///< it has been there
  };
  explicit RepairReceiver(const LossRepairSettings& settings) : settings_(settings) {}

  /// Where a train that has come in stands in its flow.
  [[nodiscard]] Place place_of(const NumberedTrain& train);
  /// It is the next one, and is given to its device. Returns those behind it that have come in before and are
  /// due now, in their order; valid until the next call.
  [[nodiscard]] const std::vector<Frame>& take_next(const NumberedTrain& train);
  /// It is early, and has been written to memory.
  void take_early(const NumberedTrain& train);
  /// Whether what is early is taken at all.
  [[nodiscard]] bool takes_early() const { return settings_.repair != LossRepair::go_back_n; }
  /// What the sender of a train that was next (and taken) or late is told. `is_marked`: it met congestion.
  [[nodiscard]] Acknowledgement acknowledgement(const NumberedTrain& train, bool is_marked = false);
  /// What the sender of an early train is told, of one that was not taken perhaps nothing.
  [[nodiscard]] std::optional<Acknowledgement> complaint(const NumberedTrain& train, SimTime now,
                                                         bool is_marked = false);
  /// What the sender of a train is told that came without its payload, or found no room here.
  [[nodiscard]] Acknowledgement trim_notice(const NumberedTrain& train) const {
    return answer(MessageKind::trim_notice, train, train.number);
  }
  /// Whether such a notice makes its sender repeat it.
  [[nodiscard]] bool tells_of_trimming() const { return settings_.repair == LossRepair::trimming; }
  /// It was not taken.
  void discard(const NumberedTrain& train);

  struct Counts {  // of a lane: what was discarded
    std::int64_t trains = 0, bytes = 0;
  };
  [[nodiscard]] const Counts& counts(std::uint32_t lane) const { return counts_[lane]; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  static constexpr std::uint32_t none = FlowIndex::none;
  struct Flow {
    SimTime error_at{};  ///< the last sequence error
    std::uint32_t first_early = none;
    std::uint16_t next_number = 0;
    std::uint16_t has_error = 0;  ///< one was sent since something came in order
  };
  struct Early {
    Frame frame{};
    std::uint32_t next = none;
    std::uint32_t unused = 0;
  };
  Flow& flow_of(const NumberedTrain& train);
  [[nodiscard]] std::uint16_t number_of(const Frame& frame) const {
    return settings_.number_in(as<NumberedTrain>(frame).number);
  }
  void advance(Flow& flow) const {
    flow.next_number = static_cast<std::uint16_t>(flow.next_number + settings_.entropy_values);
  }
  [[nodiscard]] Acknowledgement answer(MessageKind kind, const NumberedTrain& train,
                                       std::uint16_t number) const;
  [[nodiscard]] Acknowledgement of_itself(const NumberedTrain& train, bool is_marked) const;

  LossRepairSettings settings_;  ///< fixed
  FlowIndex index_;
  std::vector<Flow> flows_;
  std::vector<Early> early_;  ///< lists by flow, by number
  std::uint32_t free_ = none;
  std::vector<Counts> counts_ = std::vector<Counts>(max_lanes);
  std::vector<Frame> due_;  ///< the answer of the last call: no state
};

}  // namespace lightrail
