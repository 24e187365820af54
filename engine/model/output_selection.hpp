#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"
#include "engine/model/context.hpp"

namespace lightrail {

/// What <output> asks for: the file, how often rows are written, which tables and which endpoints. Components
/// ask before they make a row: `selection->is_recorded(table, endpoint)`. A Model resource; parsed by
/// app/cli/parse_output.hpp. Without one, nothing is recorded.
class OutputSelection {
 public:
  /// Endpoints [first, last], both included.
  struct Range {
    std::uint32_t first = 0, last = 0;
  };
  struct Table {
    bool is_on = false;
    std::vector<Range> endpoints;  ///< sorted, disjoint; ignored by tables that belong to no endpoint
  };

  std::string file;                      ///< of <output file="">; the command line may override it
  SimTime interval = milliseconds(100);  ///< [ps] simulated time between two writes, and of a link_use row
  std::vector<Table> by_table;           ///< a table beyond its end is not recorded

  /// Of tables of TableScope::system: whether they are. Of others: whether they are for any endpoint.
  [[nodiscard]] bool is_recorded(TableId table) const {
    return table < by_table.size() && by_table[table].is_on;
  }
  [[nodiscard]] bool is_recorded(TableId table, EndpointId endpoint) const {
    if (!is_recorded(table)) return false;
    const Table& selected = by_table[table];
    auto after = std::upper_bound(selected.endpoints.begin(), selected.endpoints.end(), endpoint.value,
                                  [](std::uint32_t id, const Range& range) { return id < range.first; });
    return after != selected.endpoints.begin() && endpoint.value <= std::prev(after)->last;
  }
};

}  // namespace lightrail
