#pragma once
#include <cstdint>
#include <vector>

#include "network/wire/train.hpp"
#include "workloads/collective/group_plan.hpp"
#include "workloads/collective/transport.hpp"

namespace lightrail {

/// A collective as slices that are passed on: what one member receives, waits for and sends.
///
/// A stage handles slices 0 ... slices - 1 of its bytes in order. Slice k is ready when it has come in on
/// every input and the stage `after` (of the same member) has had it ready; it is then sent on every output.
/// A member is done when all its stages have had all their slices. So slices of one stage follow one another
/// through all members at the same time.
struct RelayStage {
  static constexpr std::uint32_t none = 0xffffffff;
  struct Input {
    EndpointId from{};
    Connection connection{};
    SimTime after{};       ///< software time after the last byte
    bool is_nvls = false;  ///< through a switch's arithmetic: its efficiency instead of the protocol's
    Connection clear{};    ///< hands slots of the buffer back to the sender; only over the network
  };
  struct Output {
    EndpointId to{};
    Connection connection{};
    InSwitch in_switch = InSwitch::nothing;
    Connection clear{};
  };
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::uint32_t after = none;
  std::int64_t bytes = 0;
  std::uint32_t slices = 0;  ///< 0: no bytes
  std::uint32_t first_count =
      0;  ///< place of its first input's count in CommRun::counts; the outputs' behind
  std::uint32_t count_of_output(std::uint32_t output) const {
    return first_count + static_cast<std::uint32_t>(inputs.empty() ? 1 : inputs.size()) + output;
  }
};

struct RelayPlan {
  std::vector<RelayStage> stages;  ///< a stage stands behind the one it waits for
  std::uint32_t counts = 0;        ///< one an input, at least one a stage, and one an output
};

/// All-reduce of `bytes` by `member` on the two trees over servers; inside a server a chain that starts at
/// the rail's GPU. Rail c and tree t are lane 2 c + t (one server: no network, lane c); lanes share the
/// bytes.
RelayPlan tree_all_reduce(const GroupPlan& plan, EndpointId member, const Op& op, Protocol protocol,
                          std::uint32_t channels);

/// All-reduce of `bytes` in the NVSwitches: every local member is head of an equal part. All send theirs of
/// each part to the switch, which adds and hands the sum to the head; heads of the same place reduce and
/// broadcast on the two trees over servers; every head multicasts the result. Needs plan.nvls_efficiency and
/// plan.is_even().
RelayPlan nvls_all_reduce(const GroupPlan& plan, EndpointId member, const Op& op);

/// All-gather in the NVSwitch of one server: every member multicasts its part, and gets all, its own among
/// them. Needs plan.nvls_efficiency.
RelayPlan nvls_all_gather(const GroupPlan& plan, EndpointId member, const Op& op);

/// Reduce-scatter in the NVSwitch of one server: all send theirs of each part to the switch, which adds and
/// hands the sum to whose part it is. The hardware pulls the parts of all members at the same time; so each
/// begins with the part behind its own, and the sums of a slice come out together.
RelayPlan nvls_reduce_scatter(const GroupPlan& plan, EndpointId member, const Op& op);

/// All-reduce of `bytes` in the switches of the rails: every local member is head of an equal part, gathers
/// and adds it over NVLink, sends it to its rail's switch, which adds those of all servers and hands the sum
/// to their heads, and hands it to its neighbours. Needs plan.collnet_efficiency.
RelayPlan collnet_all_reduce(const GroupPlan& plan, EndpointId member, const Op& op);

}  // namespace lightrail
