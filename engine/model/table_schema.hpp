#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lightrail {

enum class ColumnType : std::uint8_t { int64, float64, name };  ///< name: an id into the file's /names

struct Column {
  std::string name;  ///< with its unit: t_start_ps, size_bytes
  ColumnType type = ColumnType::int64;
  std::string unit;  ///< "ps", "B", "1"
  std::string doc;
  std::vector<std::string> labels = {};  ///< of an enumeration: text of value 0, 1, ...; the file's @labels
};

/// Whose rows a table has, which <output> may choose from.
enum class TableScope : std::uint8_t {
  system,           ///< of devices and links: the whole table is recorded or not
  first_endpoints,  ///< of endpoints, by default the first 8 GPUs; components ask before they make a row
  all_endpoints     ///< of endpoints, by default all. Every row is made; its first value is the endpoint
};

/// A table of the output. The recorder adds `component` (global id) in front of the columns itself; rows are
/// ordered by (interval, component, time, sequence).
struct TableSchema {
  std::string name;  ///< of the folder under /tables
  std::vector<Column> columns;
  std::string doc;
  TableScope scope = TableScope::system;
  bool is_on_request = false;  ///< recorded only where <output> names it
};

}  // namespace lightrail
