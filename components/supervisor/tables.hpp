#pragma once
#include "engine/model/context.hpp"
#include "engine/model/table_schema.hpp"

namespace lightrail {

/// Their ids: places in components/built_in_tables.cpp, which holds the two against each other.
namespace tables {
inline constexpr TableId restarts = 23;
}

[[nodiscard]] TableSchema restarts_schema();

}  // namespace lightrail
