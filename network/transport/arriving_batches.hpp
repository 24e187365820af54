#pragma once
#include <cstdint>

#include "engine/model/context.hpp"
#include "engine/model/state_io.hpp"
#include "network/transport/flow_index.hpp"
#include "network/wire/counted_train.hpp"

namespace lightrail {

/// What has come in of batches of trains that are not there yet, at a NIC. Trains may overtake one another,
/// also those of the next batch. Batches of one flow that have the same number and length and come in at once
/// are taken for one after the other: as many trains are handed on, and all bytes when the last has come.
/// Plain state.
class ArrivingBatches {
 public:
  /// Of a batch, bytes at most: what a cell has room for [B].
  static constexpr std::uint32_t max_bytes = (1u << 24) - 1;
  static constexpr PortIndex max_ports = 32;  ///< of devices whose trains can be counted

  enum class Told : std::uint8_t { train, nothing, rest };
  struct Answer {
    Told told = Told::train;
    std::uint32_t rest_bytes = 0;  ///< with Told::rest [B]
  };
  /// `train`, a counted one, has come in for the device at `port`: what that is told.
  [[nodiscard]] Answer add(const CountedTrain& train, PortIndex port);

  void save(StateWriter& out) const { index_.save(out); }
  void load(StateReader& in) { index_.load(in); }

 private:
  FlowIndex index_;  ///< bytes behind the first train, and above them how many trains
};

}  // namespace lightrail
