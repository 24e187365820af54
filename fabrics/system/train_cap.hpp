#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "engine/model/model.hpp"
#include "network/transport/congestion_control.hpp"

namespace lightrail {

/// What became of the trains of the fabric where the scenario, or the default, asked for longer ones than its
/// buffers, or the queues that its switches mark at, suit. A resource of the model; absent where nothing was
/// cut.
struct TrainCap {
  /// What a train is a share of.
  enum class Of : std::uint8_t { buffer, marked_queue };

  std::uint32_t asked = 0, used = 0;  ///< packets in a train
  Of of = Of::buffer;
  std::int64_t bytes = 0;  ///< of the smallest buffer of a port and lane, or of the queue there [B]

  /// "of 12 packets instead of 16: a tenth of the smallest buffer (512 KiB)".
  [[nodiscard]] std::string text() const;
};

/// Trains take at most this share of the smallest buffer of the fabric. Longer ones fill buffers that packets
/// do not: an all-to-all of 30 servers takes 35 % longer with an eighth of a buffer, and as long as packets
/// with a tenth (docs/grain.md).
inline constexpr std::int64_t trains_per_buffer = 10;
/// And at most this share of the queue that a packet must find to be marked (CongestionMarker). Queues that
/// come and go have as many trains as they would have packets: trains of a quarter mark early what packets
/// do not mark at all, and victims of an incast take up to 9 % longer (docs/congestion.md).
inline constexpr std::int64_t trains_per_marked_queue = 8;

/// Shortens the trains of all fabric links (electrical and optical) of a model that is being built, to one
/// packet at least. NVLink and PCIe keep theirs. `marks`: what switches mark; null: nothing. Null when none
/// was too long.
[[nodiscard]] std::shared_ptr<const TrainCap> cap_trains(Model& model, const CongestionSpec* marks);

/// What is to be said of trains on NVLink that take more than half of the buffer of an NVSwitch's port, "":
/// none does. They are not shortened: by their length runs trade truth for time (docs/scaling.md), and steps
/// in trains of half a buffer were as long as packet by packet.
[[nodiscard]] std::string long_nvlink_trains(const Model& model);

/// The shortest trains that a NIC of the model sends where it lacks credits (TrainLengths) [packets]; 0 where
/// all of a NIC's trains are of one length.
[[nodiscard]] std::uint32_t short_trains(const Model& model);

}  // namespace lightrail
