#pragma once
#include <algorithm>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"

namespace lightrail {

/// Where communication takes what a formula says (FormulaTimes) and no message is sent: <run
/// detail="formula">. A Model resource; its GPUs are joined to a meeting by their last port.
struct FormulaDetail {
  /// From a GPU to the meeting or back: no operation takes less than both.
  static constexpr SimTime notice = nanoseconds(100);

  std::vector<EndpointId> gpus;  ///< that are simulated, ascending: the meeting's port i leads to gpus[i]

  [[nodiscard]] bool has(EndpointId gpu) const { return std::binary_search(gpus.begin(), gpus.end(), gpu); }
};

}  // namespace lightrail
