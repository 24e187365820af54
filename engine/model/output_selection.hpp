#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"
#include "engine/model/serving_tables.hpp"

namespace lightrail {

/// What <output> asks for: the file, how often rows are written, which tables and which endpoints. Components
/// ask before they make a row: `selection->is_recorded(tables::ops, endpoint)`. A Model resource; parsed by
/// engine/record/parse_output.hpp. Without one, nothing is recorded.
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
  std::array<Table, tables::count> by_table{};

  /// Tables without endpoints: link_use, queue, ocs, storage, power, requests, batches.
  bool is_recorded(TableId table) const { return by_table[table].is_on; }
  bool is_recorded(TableId table, EndpointId endpoint) const {
    const Table& selected = by_table[table];
    if (!selected.is_on) return false;
    auto after = std::upper_bound(selected.endpoints.begin(), selected.endpoints.end(), endpoint.value,
                                  [](std::uint32_t id, const Range& range) { return id < range.first; });
    return after != selected.endpoints.begin() && endpoint.value <= std::prev(after)->last;
  }
};

}  // namespace lightrail
