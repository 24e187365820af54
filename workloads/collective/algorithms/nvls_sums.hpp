#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "workloads/collective/algorithm.hpp"

namespace lightrail {

/// What NVLS in one server and NVLS-tree over several share.
class NvlsSums : public CollectiveAlgorithm {
 public:
  [[nodiscard]] ProtocolRule protocol_rule() const final { return ProtocolRule::simple_only; }
  /// base (+ 2 log2 servers * hop(net)); a GPU's link carries every part once, of an all-reduce its own
  /// twice: rate x efficiency, x n / (n + 1), n members of a server.
  [[nodiscard]] std::optional<double> cost(const NcclSettings& settings, const GroupPlan& plan, const Op& op,
                                           Protocol protocol) const override;
  [[nodiscard]] SimTime start_delay(const GroupPlan& plan, const Op& op, Protocol protocol) const final;
  /// In NVSwitches, whose lines do not carry as much both ways: half of what the memory gives and takes.
  [[nodiscard]] BitRate receive_rate(const GroupPlan& plan, EndpointId self, const Op& op,
                                     Protocol protocol) const final;

 protected:
  /// What keeps any collective of `op` off the NVSwitches of the group.
  [[nodiscard]] static std::optional<std::string> common_hindrance(const GroupPlan& plan, const Op& op);
  /// All-reduce in the NVSwitches: every local member is head of an equal part. All send theirs of each part
  /// to the switch, which adds and hands the sum to the head; heads of the same place reduce and broadcast on
  /// the two trees over servers; every head multicasts the result.
  [[nodiscard]] static RelayPlan all_reduce(const CollectiveInput& in);
};

}  // namespace lightrail
