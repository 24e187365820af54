#pragma once
#include <cstdint>

#include "engine/model/describe.hpp"

namespace lightrail {

/// What NICs tell GPUs of the trains that come in for them: the first of a batch and the rest with its last,
/// or each.
enum class ArrivalReports : std::uint8_t { batches, trains };

/// How messages are cut: `<network mtu="4 KiB" grain="16" nvlink-grain="32"/>`. A train is at most `grain`
/// packets; 1 is packet level. Coarser trains cost fewer events and a little accuracy; those of a fabric are
/// cut to a tenth of its smallest buffer, and to an eighth of the queue that congestion control marks at
/// (TrainCap); those of small messages to a share of their message (`trains-per-message`).
struct TrainSettings {
  static constexpr std::int64_t max_mtu = 65'536;  ///< [B]
  static constexpr std::uint32_t max_grain = 4'096, max_nvlink_grain = 65'535, max_trains_per_message = 4'096;

  Bytes mtu{4096};
  std::uint32_t grain = 16;
  std::uint32_t nvlink_grain = 32;
  std::uint32_t trains_per_message = 8;
  SimTime send_ahead{0};  ///< SendAhead
  ArrivalReports arrivals = ArrivalReports::batches;
};

/// Attributes of <network>.
[[nodiscard]] Describe<TrainSettings> train_settings_table();

}  // namespace lightrail
