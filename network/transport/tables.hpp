#pragma once
#include "engine/model/context.hpp"
#include "engine/model/table_schema.hpp"

namespace lightrail {

/// Their ids: places in components/built_in_tables.cpp, which holds the two against each other.
namespace tables {
inline constexpr TableId messages = 1, traffic = 8, traffic_matrix = 10;
}

[[nodiscard]] TableSchema messages_schema();
[[nodiscard]] TableSchema traffic_schema();
[[nodiscard]] TableSchema traffic_matrix_schema();

}  // namespace lightrail
