#pragma once
#include "engine/model/context.hpp"
#include "engine/model/table_schema.hpp"

namespace lightrail {

/// Their ids: places in components/built_in_tables.cpp, which holds the two against each other.
namespace tables {
inline constexpr TableId ops = 0, collectives = 2, steps = 9, exposed = 13, stepped_over = 15;
}

[[nodiscard]] TableSchema ops_schema();
[[nodiscard]] TableSchema collectives_schema();
[[nodiscard]] TableSchema steps_schema();
/// Its column `use` has the texts of TimeUse.
[[nodiscard]] TableSchema exposed_schema();
[[nodiscard]] TableSchema stepped_over_schema();

}  // namespace lightrail
