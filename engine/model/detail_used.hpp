#pragma once
#include <string>
#include <vector>

namespace lightrail {

/// How fine a run is, as a scenario names it: <run detail="">, <fabric detail="messages"> and <formula>. A
/// Model resource.
struct DetailUsed {
  std::string name;                  ///< packets, trains, messages, formula
  std::vector<std::string> fabrics;  ///< those by messages, where not all are: compute, storage
  std::vector<std::string> formula;  ///< what takes what formulas say, where not all does: "tp dp", "all"
};

}  // namespace lightrail
