#pragma once
#include "engine/model/context.hpp"
#include "engine/model/table_schema.hpp"

namespace lightrail {

/// Their ids: places in components/built_in_tables.cpp, which holds the two against each other.
namespace tables {
inline constexpr TableId link_use = 3, queue = 4, power = 7, link_traffic = 14;
}

[[nodiscard]] TableSchema link_use_schema();
[[nodiscard]] TableSchema link_traffic_schema();
[[nodiscard]] TableSchema queue_schema();
[[nodiscard]] TableSchema power_schema();

}  // namespace lightrail
