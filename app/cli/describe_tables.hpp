#pragma once
#include <string>

#include "engine/model/table_registry.hpp"

namespace lightrail {

/// Every table of the output with its columns, for `lightrail describe table`.
[[nodiscard]] std::string tables_text(const TableRegistry& tables);

}  // namespace lightrail
