#pragma once
#include "engine/model/tables.hpp"

namespace lightrail::tables {

/// Tables of inference jobs, after those of tables.hpp.
inline constexpr TableId requests = 11, batches = 12;
inline constexpr TableId count = 13;

}  // namespace lightrail::tables
