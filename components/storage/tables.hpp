#pragma once
#include "engine/model/context.hpp"
#include "engine/model/table_schema.hpp"

namespace lightrail {

/// Its id: the place in components/built_in_tables.cpp, which holds the two against each other.
namespace tables {
inline constexpr TableId storage = 6;
}

[[nodiscard]] TableSchema storage_schema();

}  // namespace lightrail
