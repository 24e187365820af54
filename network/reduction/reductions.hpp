#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/context.hpp"
#include "network/transport/flow_index.hpp"

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
  [[nodiscard]] std::int64_t waiting_bytes() const;
  /// call(flow, bytes that each port has brought and that wait) of every flow in which bytes wait, in the
  /// order of their first trains.
  template <class Call>
  void for_each_waiting(Call&& call) const {
    for (std::size_t slot = 0; slot < flows_.size(); ++slot) {
      const std::span<const std::int64_t> ahead(&ahead_[slot * ports_], ports_);
      if (std::any_of(ahead.begin(), ahead.end(), [](std::int64_t bytes) { return bytes > 0; }))
        call(flows_[slot], ahead);
    }
  }

  void save(StateWriter& out) const { index_.save(out), out.put(flows_), out.put(ahead_); }
  void load(StateReader& in) { index_.load(in), in.get(flows_), in.get(ahead_); }

 private:
  std::uint32_t ports_;
  FlowIndex index_;
  std::vector<std::uint64_t> flows_;  ///< by slot
  std::vector<std::int64_t> ahead_;   ///< by flow and port: bytes that came in and are not summed yet
};

}  // namespace lightrail
