#include "workloads/collective/algorithms/nvls_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "workloads/collective/cost_terms.hpp"
#include "workloads/collective/relay_builder.hpp"
#include "workloads/collective/relay_slices.hpp"

namespace lightrail {
namespace {

/// Share of the NVSwitch's lines that sums reach: over servers a head's threads pass them on to the network
/// as well.
double reached(const GroupPlan& plan) {
  const double rate = bits_of(plan.nccl->nvls_tree_rate), n = plan.members_of(0), all = plan.size();
  if (plan.servers() == 1 || rate == 0) return plan.nvls_efficiency;
  const double sums = rate * n * all / (2 * (all - 1));
  return std::min(plan.nvls_efficiency, sums * (n + 1) / n / bits_of(plan.local_rate));
}

/// Buffer over time of a long collective in NVSwitches of which it reaches `efficiency` [bit/s].
double nvls_rate(const GroupPlan& plan, CollectiveType type, double efficiency) {
  const double n = plan.members_of(0);
  double bits = bits_of(plan.local_rate) * efficiency;
  // What is gathered comes in as the whole buffer, what is reduced leaves as it; an all-reduce adds the own
  // part's way back.
  if (type == CollectiveType::all_reduce) bits *= n / (n + 1);
  return plan.servers() > 1 ? std::min(bits, tree_rails(plan)) : bits;
}

}  // namespace

std::optional<double> NvlsSums::cost(const NcclSettings& settings, const GroupPlan& plan, const Op& op,
                                     Protocol) const {
  const double levels = std::log2(plan.servers());
  const double latency =
      seconds(settings.nvls) + 2 * levels * net_seconds(plan, Protocol::simple, settings.nvls_tree_net);
  return latency + static_cast<double>(op.bytes) * 8 / nvls_rate(plan, op.collective, plan.nvls_efficiency);
}

SimTime NvlsSums::start_delay(const GroupPlan& plan, const Op&, Protocol) const {
  return plan.nccl->nvls;
}

BitRate NvlsSums::receive_rate(const GroupPlan& plan, EndpointId, const Op& op, Protocol protocol) const {
  const double buffer = 8.0 * static_cast<double>(op.bytes), n = plan.size();
  const double start = 1e-12 * static_cast<double>(start_delay(plan, op, protocol).count());
  // What the switch takes is read and what it gives is written, of an all-reduce the buffer and the buffer,
  // of parts a part and the buffer; what is summed for an all-reduce goes out again from registers.
  const bool is_all_reduce = op.collective == CollectiveType::all_reduce;
  const double moved = is_all_reduce ? 2 : 1 + 1.0 / n;
  const double rate = nvls_rate(plan, op.collective, is_all_reduce ? reached(plan) : plan.nvls_efficiency);
  return BitRate{static_cast<std::int64_t>(moved / 2 * buffer / (buffer / rate + start))};
}

std::optional<std::string> NvlsSums::common_hindrance(const GroupPlan& plan, const Op& op) {
  if (plan.nvls_efficiency == 0)
    return "needs GPUs behind NVSwitches that reduce and multicast (nvls-efficiency)";
  if (!plan.is_even() || plan.members_of(0) < 2)
    return "needs two or more GPUs of each server, the same number of each";
  // A lane for every member of a server and tree.
  const std::uint32_t most = RelayBuilder::max_lanes / RelayBuilder::trees_over(plan);
  if (op.collective == CollectiveType::all_reduce && plan.members_of(0) > most)
    return fmt::format("takes at most {} GPUs of a server", most);
  return std::nullopt;
}

RelayPlan NvlsSums::all_reduce(const CollectiveInput& in) {
  const GroupPlan& plan = in.plan;
  RelayBuilder builder(in, reached(plan), plan.nccl->nvls_chunk.value);
  const std::uint32_t heads = plan.members_of(builder.server()), lanes = heads * builder.trees();
  const EndpointId member = in.self();
  const SimTime far = plan.nccl->nvls_tree_software();
  const std::int64_t slice = nvls_slice(*plan.nccl, plan, lanes, in.op.bytes);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const std::uint32_t head = lane / builder.trees();
    const EndpointId at = builder.neighbour(head);
    const Connection sum = builder.connection(Phase::nvls_sum, lane);
    const Connection result = builder.connection(Phase::nvls_result, lane);
    RelayStage contribute;
    contribute.outputs.push_back({at, sum, InSwitch::reduce});
    builder.add(std::move(contribute), lanes, lane, slice);
    if (at == member) {
      const Connection up_link = builder.connection(Phase::tree_up, lane);
      const Connection down_link = builder.connection(Phase::tree_down, lane);
      const Connection up_clear = builder.connection(Phase::tree_up_clear, lane);
      const Connection down_clear = builder.connection(Phase::tree_down_clear, lane);
      const TreePlace tree = builder.tree_place(lane);
      RelayStage up, down;
      up.inputs.push_back({member, sum, SimTime{0}, true});
      for (std::uint32_t child : tree.children) {
        up.inputs.push_back({builder.member_of(child, head), up_link, far, false, up_clear});
        down.outputs.push_back({builder.member_of(child, head), down_link, InSwitch::nothing, down_clear});
      }
      const bool is_root = tree.parent == TreePlace::none;
      if (!is_root) {
        up.outputs.push_back({builder.member_of(tree.parent, head), up_link, InSwitch::nothing, up_clear});
        down.inputs.push_back({builder.member_of(tree.parent, head), down_link, far, false, down_clear});
      }
      down.outputs.push_back({member, result, InSwitch::multicast});
      const std::uint32_t up_stage = builder.add(std::move(up), lanes, lane, slice);
      if (is_root) down.after = up_stage;
      builder.add(std::move(down), lanes, lane, slice);
    }
    RelayStage collect;
    collect.inputs.push_back({at, result, SimTime{0}, true});
    builder.add(std::move(collect), lanes, lane, slice);
  }
  return builder.take();
}

}  // namespace lightrail
