#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "workloads/collective/algorithms/nvls_sums.hpp"
#include "workloads/collective/relay_builder.hpp"
#include "workloads/collective/relay_slices.hpp"

namespace lightrail {
namespace {

/// NCCL's NCCL_MAX_NVLS_ARITY (src/include/device.h).
constexpr std::uint32_t max_parts = 32;

/// In the NVSwitch of one server, which adds and multicasts.
class Nvls final : public NvlsSums {
 public:
  [[nodiscard]] std::string name() const override { return "nvls"; }
  [[nodiscard]] std::string doc() const override {
    return "sums and copies in the NVSwitch of one server (NVLink SHARP)";
  }
  [[nodiscard]] bool serves(CollectiveType type) const override {
    return type == CollectiveType::all_reduce || type == CollectiveType::all_gather ||
           type == CollectiveType::reduce_scatter;
  }
  [[nodiscard]] std::optional<std::string> hindrance(const GroupPlan& plan, const Op& op) const override {
    if (auto why = common_hindrance(plan, op)) return why;
    const bool is_sum = op.collective == CollectiveType::all_reduce;
    if (!is_sum && plan.servers() > 1)
      return "is for one server in all-gather and reduce-scatter, as NCCL's is";
    if (!is_sum && plan.size() > max_parts)
      return fmt::format("takes at most {} GPUs for all-gather and reduce-scatter, as NCCL's does",
                         max_parts);
    if (plan.servers() > 1) return "is for one server (nvls-tree for several)";
    return std::nullopt;
  }
  /// NCCL 2.21 gathers and scatters parts in the NVSwitch only inside one operating system (src/enqueue.cc:
  /// one node), not across the trays of a larger NVLink domain.
  [[nodiscard]] std::optional<double> cost(const NcclSettings& settings, const GroupPlan& plan, const Op& op,
                                           Protocol protocol) const override {
    if (op.collective != CollectiveType::all_reduce && plan.spans_hosts) return std::nullopt;
    return NvlsSums::cost(settings, plan, op, protocol);
  }
  [[nodiscard]] CollectivePlan plan(const CollectiveInput& in) const override {
    if (in.op.collective == CollectiveType::all_gather) return all_gather(in);
    if (in.op.collective == CollectiveType::reduce_scatter) return reduce_scatter(in);
    return all_reduce(in);
  }

 private:
  /// Every member multicasts its part, and gets all, its own among them.
  static RelayPlan all_gather(const CollectiveInput& in) {
    const GroupPlan& plan = in.plan;
    RelayBuilder builder(in, plan.nvls_efficiency, plan.nccl->nvls_chunk.value);
    const std::uint32_t lanes = plan.size();
    const std::int64_t slice = nvls_slice(*plan.nccl, plan, lanes, in.op.bytes);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const EndpointId from = builder.neighbour(lane);
      const Connection part = builder.connection(Phase::nvls_result, lane);
      if (from == in.self()) {
        RelayStage give;
        give.outputs.push_back({from, part, InSwitch::multicast});
        builder.add(std::move(give), lanes, lane, slice);
      }
      RelayStage collect;
      collect.inputs.push_back({from, part, SimTime{0}, true});
      builder.add(std::move(collect), lanes, lane, slice);
    }
    return builder.take();
  }

  /// All send theirs of each part to the switch, which adds and hands the sum to whose part it is. The
  /// hardware pulls the parts of all members at the same time; so each begins with the part behind its own,
  /// and the sums of a slice come out together.
  static RelayPlan reduce_scatter(const CollectiveInput& in) {
    const GroupPlan& plan = in.plan;
    RelayBuilder builder(in, plan.nvls_efficiency, plan.nccl->nvls_chunk.value);
    const std::uint32_t lanes = plan.size(), own = builder.local();
    const std::int64_t slice = nvls_slice(*plan.nccl, plan, lanes, in.op.bytes);
    for (std::uint32_t turn = 1; turn <= lanes; ++turn) {
      const std::uint32_t lane = (own + turn) % lanes;
      RelayStage contribute;
      contribute.outputs.push_back(
          {builder.neighbour(lane), builder.connection(Phase::nvls_sum, lane), InSwitch::reduce});
      builder.add(std::move(contribute), lanes, lane, slice);
    }
    RelayStage collect;
    collect.inputs.push_back({in.self(), builder.connection(Phase::nvls_sum, own), SimTime{0}, true});
    builder.add(std::move(collect), lanes, own, slice);
    return builder.take();
  }
};

}  // namespace

std::shared_ptr<const CollectiveAlgorithm> nvls_algorithm() {
  return std::make_shared<const Nvls>();
}

}  // namespace lightrail
