#pragma once
#include <cstdint>

#include "engine/model/context.hpp"
#include "engine/model/table_schema.hpp"

namespace lightrail {

/// Their ids: places in components/built_in_tables.cpp, which holds the two against each other.
namespace tables {
inline constexpr TableId link_use = 3, queue = 4, power = 7, link_traffic = 14, ecn = 18, trim = 20;
}

[[nodiscard]] TableSchema link_use_schema();
[[nodiscard]] TableSchema link_traffic_schema();
[[nodiscard]] TableSchema queue_schema();
[[nodiscard]] TableSchema power_schema();
[[nodiscard]] TableSchema ecn_schema();
[[nodiscard]] TableSchema trim_schema();

/// A row of the ecn table: packets that have passed, and those marked among them.
void record_marks(Context& context, std::int64_t port, std::int64_t lane, std::int64_t seen,
                  std::int64_t marked);
/// A row of the trim table: packets whose payload was cut off, and how many bytes of it.
void record_trims(Context& context, std::int64_t port, std::int64_t lane, std::int64_t packets,
                  std::int64_t bytes);

}  // namespace lightrail
