#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "components/network/flow_index.hpp"
#include "engine/model/context.hpp"

namespace lightrail {

/// Sums in progress of a switch: how far every port has come with each flow, and how far the sum. Trains of
/// different ports may be cut differently; a byte is summed when the last port has brought it. Plain state.
class Reductions {
 public:
  explicit Reductions(std::uint32_t ports) : ports_(ports) {}

  /// `bytes` of `flow` came in on `port`, one of `contributors`. Returns how many bytes that completes.
  std::uint32_t add(std::uint64_t flow, PortIndex port, std::uint32_t bytes,
                    std::span<const PortIndex> contributors);
  /// Bytes that wait for other ports.
  std::int64_t waiting_bytes() const;

  void save(StateWriter& out) const { index_.save(out), out.put(ahead_); }
  void load(StateReader& in) { index_.load(in), in.get(ahead_); }

 private:
  std::uint32_t ports_;
  FlowIndex index_;
  std::vector<std::int64_t> ahead_;  ///< by flow and port: bytes that came in and are not summed yet
};

}  // namespace lightrail
