#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"
#include "network/transport/flow_index.hpp"

namespace lightrail {

/// When a NIC sent its last notice of each flow whose packets came in marked, so that it sends no more than
/// one in an interval. A flow is named by a key, and remembered from its first notice on.
class NoticePacer {
 public:
  /// Whether a notice of the flow may be sent now; then it is.
  [[nodiscard]] bool is_due(std::uint64_t flow, SimTime interval, SimTime now);

  void save(StateWriter& out) const { index_.save(out), out.put(last_); }
  void load(StateReader& in) { index_.load(in), in.get(last_); }

 private:
  FlowIndex index_;
  std::vector<SimTime> last_;
};

}  // namespace lightrail
