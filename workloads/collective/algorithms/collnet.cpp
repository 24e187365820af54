#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "workloads/collective/algorithm.hpp"
#include "workloads/collective/relay_builder.hpp"

namespace lightrail {
namespace {

/// In the switches of the rails (SHARP): every local member is head of an equal part, gathers and adds it
/// over NVLink, sends it to its rail's switch, which adds those of all servers and hands the sum to their
/// heads, and hands it to its neighbours.
class Collnet final : public CollectiveAlgorithm {
 public:
  [[nodiscard]] std::string name() const override { return "collnet"; }
  [[nodiscard]] std::string doc() const override {
    return "sums in the switch of every rail (SHARP, CollNet)";
  }
  [[nodiscard]] bool serves(CollectiveType type) const override { return type == CollectiveType::all_reduce; }
  [[nodiscard]] std::optional<std::string> hindrance(const GroupPlan& plan, const Op&) const override {
    if (plan.collnet_efficiency == 0)
      return "needs the same number of GPUs of each server, a NIC each that no fault touches, and one "
             "switch a rail that reduces (sharp-efficiency)";
    if (plan.members_of(0) > RelayBuilder::max_lanes)
      return fmt::format("takes at most {} GPUs of a server", RelayBuilder::max_lanes);
    return std::nullopt;
  }
  [[nodiscard]] ProtocolRule protocol_rule() const override { return ProtocolRule::simple_only; }
  [[nodiscard]] SimTime start_delay(const GroupPlan& plan, const Op&, Protocol protocol) const override {
    return plan.nccl->tree_base(protocol);
  }
  [[nodiscard]] CollectivePlan plan(const CollectiveInput& in) const override;
};

CollectivePlan Collnet::plan(const CollectiveInput& in) const {
  const GroupPlan& plan = in.plan;
  RelayBuilder builder(in, plan.collnet_efficiency, plan.nccl->nvls_chunk.value);
  const std::uint32_t heads = plan.members_of(builder.server());
  const std::int64_t slice = plan.nccl->point_chunk_net.value;
  const SimTime near = plan.nccl->collnet_software(plan.has_nvlink ? Medium::nvlink : Medium::pci),
                far = plan.nccl->collnet_software(Medium::net);
  for (std::uint32_t lane = 0; lane < heads; ++lane) {
    const EndpointId head = builder.neighbour(lane);
    const Connection up_link = builder.connection(Phase::tree_up, lane);
    const Connection down_link = builder.connection(Phase::tree_down, lane);
    const Connection fabric = builder.connection(Phase::collnet, lane);
    RelayStage up, down;
    if (head == in.self()) {
      for (std::uint32_t i = 0; i < heads; ++i) {
        if (i == lane) continue;
        up.inputs.push_back({builder.neighbour(i), up_link, near, false});
        down.outputs.push_back({builder.neighbour(i), down_link, InSwitch::nothing});
      }
      up.outputs.push_back({head, fabric, InSwitch::fabric_reduce});
      down.inputs.push_back({head, fabric, far, true});
    } else {
      up.outputs.push_back({head, up_link, InSwitch::nothing});
      down.inputs.push_back({head, down_link, near, false});
    }
    builder.add(std::move(up), heads, lane, slice);
    builder.add(std::move(down), heads, lane, slice);
  }
  return builder.take();
}

}  // namespace

std::shared_ptr<const CollectiveAlgorithm> collnet_algorithm() {
  return std::make_shared<const Collnet>();
}

}  // namespace lightrail
