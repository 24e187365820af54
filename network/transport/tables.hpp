#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/model/context.hpp"
#include "engine/model/table_schema.hpp"

namespace lightrail {

/// Their ids: places in components/built_in_tables.cpp, which holds the two against each other.
namespace tables {
inline constexpr TableId messages = 1, traffic = 8, traffic_matrix = 10, repair = 19, discarded = 22,
                         recalled = 24;
}

[[nodiscard]] TableSchema messages_schema();
[[nodiscard]] TableSchema traffic_schema();
[[nodiscard]] TableSchema traffic_matrix_schema();
[[nodiscard]] TableSchema repair_schema();
/// Its column `where` has the texts of DiscardedAt.
[[nodiscard]] TableSchema discarded_schema();

[[nodiscard]] TableSchema recalled_schema();

/// What became of a collective that might have been recalled (<run recall="collectives">).
enum class RecallOutcome : std::uint8_t {
  recalled,  ///< it went as one before it, and was not simulated
  first,     ///< simulated and kept: none had met the same before
  beside,    ///< simulated: another operation of a member that uses NVLink may run beside it
  apart,     ///< simulated: the first member began before the NVSwitch could tell it that all had come
  busy,      ///< simulated: lines, buffers or credits were not at rest
  unlike,    ///< simulated, again: lines are still busy when its first member may go on, or
             ///< a buffer was so full that credits came back one by one
  full       ///< simulated: no more is kept
};
inline constexpr std::size_t recall_outcomes = 7;
/// A row of the table recalled, unless there are none.
void record_recalled(Context& context, RecallOutcome outcome, std::int64_t collectives);

/// A row of the table repair, of a NIC and lane; trains and control messages.
struct RepairCounts {
  std::int64_t lane = 0;
  std::int64_t sent = 0;                          ///< the first time
  std::int64_t repeated = 0, repeated_bytes = 0;  ///< sent again
  std::int64_t timeouts = 0;
  std::int64_t discarded = 0, discarded_bytes = 0;  ///< received, not in order or twice
};
void record_repairs(Context& context, const RepairCounts& counts);

}  // namespace lightrail
