#pragma once
#include <string>
#include <vector>

namespace lightrail {

/// How fine a run is, as a scenario names it: <run detail=""> and <fabric detail="messages">. A Model
/// resource.
struct DetailUsed {
  std::string name;                  ///< packets, trains, messages, formula
  std::vector<std::string> fabrics;  ///< those by messages, where not all are: compute, storage
};

}  // namespace lightrail
