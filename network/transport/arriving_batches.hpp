#pragma once
#include <cstdint>

#include "engine/model/context.hpp"
#include "engine/model/state_io.hpp"
#include "network/transport/flow_index.hpp"
#include "network/wire/counted_train.hpp"

namespace lightrail {

/// What has come in of batches of trains that are not there yet, at a NIC. Trains may overtake one another,
/// also those of the next batch, and the last one that is sent says how many there are. Batches of one flow
/// that have the same number and come in at once are taken for one after the other: all bytes are handed on
/// when the last train has come. Plain state.
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

  /// Before add().
  void prefetch(const CountedTrain& train, PortIndex port) const { index_.prefetch(key_of(train, port)); }

  void save(StateWriter& out) const { index_.save(out); }
  void load(StateReader& in) { index_.load(in); }

 private:
  [[nodiscard]] static std::uint64_t key_of(const CountedTrain& train, PortIndex port);
  /// Bytes behind the first train, and above them by how many trains (modulo 256) more have come than the
  /// last one said, once it is here; 0: all.
  FlowIndex index_;
};

}  // namespace lightrail
