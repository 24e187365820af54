#pragma once
#include <cstdint>

#include "engine/model/context.hpp"
#include "engine/model/table_schema.hpp"

namespace lightrail {

/// Their ids: places in components/built_in_tables.cpp, which holds the two against each other.
namespace tables {
inline constexpr TableId messages = 1, traffic = 8, traffic_matrix = 10, repair = 19, discarded = 22;
}

[[nodiscard]] TableSchema messages_schema();
[[nodiscard]] TableSchema traffic_schema();
[[nodiscard]] TableSchema traffic_matrix_schema();
[[nodiscard]] TableSchema repair_schema();
/// Its column `where` has the texts of DiscardedAt.
[[nodiscard]] TableSchema discarded_schema();

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
