#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "workloads/collective/algorithm.hpp"
#include "workloads/collective/relay_builder.hpp"

namespace lightrail {
namespace {

/// In the switches of the fabric (SHARP): every local member is head of an equal part, gathers and adds it
/// over NVLink, sends it up the tree of its place, whose switches add those of all servers and hand the sum
/// down to their heads, and hands it to its neighbours. Where switches say how much of a tree they hold, a
/// head has no more under way: it sends as much as has come back to its proxy thread.
class Collnet final : public CollectiveAlgorithm {
 public:
  [[nodiscard]] std::string name() const override { return "collnet"; }
  [[nodiscard]] std::string doc() const override {
    return "sums in a tree of switches for every GPU of a server (SHARP, CollNet)";
  }
  [[nodiscard]] bool reduces_in_fabric() const override { return true; }
  [[nodiscard]] bool serves(CollectiveType type) const override { return type == CollectiveType::all_reduce; }
  [[nodiscard]] std::optional<std::string> hindrance(const GroupPlan& plan, const Op& op) const override {
    if (plan.fabric_sums.trees.empty()) return "needs " + plan.fabric_sums.obstacle;
    const std::uint32_t heads = plan.members_of(0);
    if (heads > RelayBuilder::max_lanes)
      return fmt::format("takes at most {} GPUs of a server", RelayBuilder::max_lanes);
    const std::int64_t part = (op.bytes + heads - 1) / heads, slice = slice_of(plan, op);
    if (plan.fabric_sums.room > 0 && part > slice * max_slices)
      return fmt::format("needs more room than {} B for a tree (sharp-buffer) for parts of {} B",
                         plan.fabric_sums.room, part);
    return std::nullopt;
  }
  [[nodiscard]] ProtocolRule protocol_rule() const override { return ProtocolRule::simple_only; }
  [[nodiscard]] SimTime start_delay(const GroupPlan& plan, const Op&, Protocol protocol) const override {
    return plan.nccl->tree_base(protocol);
  }
  [[nodiscard]] CollectivePlan plan(const CollectiveInput& in) const override;

 private:
  /// Where switches have little room; bounds the messages of a member.
  static constexpr std::int64_t max_slices = 1 << 13;
  /// As many operations under way as a group of SHARP has by default.
  static constexpr std::int64_t under_way = 8;
  /// [B].
  [[nodiscard]] static std::int64_t slice_of(const GroupPlan& plan, const Op& op) {
    const std::int64_t room = plan.fabric_sums.room, whole = plan.nccl->point_chunk_net.value;
    return room == 0 ? whole : std::clamp<std::int64_t>(room / under_way, op.element_bytes, whole);
  }
};

CollectivePlan Collnet::plan(const CollectiveInput& in) const {
  const GroupPlan& plan = in.plan;
  const FabricSums& sums = plan.fabric_sums;
  RelayBuilder builder(in, sums.efficiency, plan.nccl->nvls_chunk.value);
  const std::uint32_t heads = plan.members_of(builder.server());
  const std::int64_t slice = slice_of(plan, in.op);
  const std::int64_t most = sums.room > 0 ? max_slices : RelayBuilder::max_slices;
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
      if (sums.room > 0) {
        up.back = builder.next() + 1;
        up.ahead = static_cast<std::uint32_t>(std::max<std::int64_t>(sums.room / slice, 1));
      }
      down.inputs.push_back({head, fabric, far, true});
    } else {
      up.outputs.push_back({head, up_link, InSwitch::nothing});
      down.inputs.push_back({head, down_link, near, false});
    }
    builder.add(std::move(up), heads, lane, slice, most);
    builder.add(std::move(down), heads, lane, slice, most);
  }
  return builder.take();
}

}  // namespace

std::shared_ptr<const CollectiveAlgorithm> collnet_algorithm() {
  return std::make_shared<const Collnet>();
}

}  // namespace lightrail
