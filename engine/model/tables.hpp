#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/context.hpp"

namespace lightrail {

enum class ColumnType : std::uint8_t { int64, float64, name };  ///< name: an id into the file's /names

struct Column {
  std::string name;  ///< with its unit: t_start_ps, size_bytes
  ColumnType type = ColumnType::int64;
  std::string unit;  ///< "ps", "B", "1"
  std::string doc;
  std::vector<std::string> labels = {};  ///< of an enumeration: text of value 0, 1, ...; the file's @labels
};

/// A table of the output. The recorder adds `component` (global id) in front of the columns itself; rows are
/// ordered by (interval, component, time, sequence).
struct TableSchema {
  std::string name;
  std::vector<Column> columns;
  std::string doc;
};

/// The tables of this build, fixed ids. New tables go at the end; names are the folders under /tables.
namespace tables {
inline constexpr TableId ops = 0, messages = 1, collectives = 2, link_use = 3, queue = 4, ocs = 5,
                         storage = 6, power = 7, traffic = 8, steps = 9, traffic_matrix = 10;
}
const std::vector<TableSchema>& table_schemas();

}  // namespace lightrail
