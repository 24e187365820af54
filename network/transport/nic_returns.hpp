#pragma once
#include <cstdint>

namespace lightrail {

/// Who gets a train that came in at a NIC, for an endpoint that is not attached to it.
enum class StrayTrains : std::uint8_t {
  refused,  ///< nobody: the run ends
  to_gpu    ///< the NIC's first GPU, which passes it on
};

/// Who sends what an optical switch lost or corrupted again.
enum class LostTrains : std::uint8_t {
  from_nic,           ///< the NIC, until its retries end; then the connection breaks
  from_nic_then_gpu,  ///< the NIC; when its retries end the NIC's first GPU has it back
  from_gpu            ///< that GPU, every time: it knows where circuits lead now
};

/// Model resource: what NICs of GPUs do with trains that belong to no endpoint of theirs or did not get out.
/// Set by a fabric whose circuits change; without it strays are refused and the NIC sends again what was
/// lost.
struct NicReturns {
  StrayTrains strays = StrayTrains::refused;
  LostTrains lost = LostTrains::from_nic;
};

}  // namespace lightrail
