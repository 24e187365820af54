#include "workloads/collective/relay.hpp"

#include <algorithm>

#include "workloads/collective/double_tree.hpp"
#include "workloads/collective/relay_slices.hpp"
#include "workloads/collective/ring.hpp"
#include "workloads/program/phase.hpp"

namespace lightrail {
namespace {

/// Slices of a stage at most: bounds the messages of a member; filling the pipeline costs depth / slices.
constexpr std::int64_t max_slices = 512;

class Builder {
 public:
  Builder(const GroupPlan& plan, EndpointId member, const Op& op)
      : plan_(plan),
        op_(op),
        index_(plan.index_of(member)),
        server_(plan.server_of(index_)),
        self_(member),
        trees_(plan.servers() > 1 ? 2 : 1) {}

  std::uint32_t trees() const { return trees_; }
  std::uint32_t local() const { return index_ - plan_.server_first[server_]; }
  EndpointId neighbour(std::uint32_t local) const {
    return plan_.members[plan_.server_first[server_] + local];
  }
  Connection connection(Phase phase, std::uint32_t lane) const {
    return Connection::make(op_.group.value, lane, static_cast<std::uint32_t>(phase));
  }
  TreePlace place(std::uint32_t lane) const { return double_tree(plan_.servers(), server_, lane % trees_); }

  /// Appends a stage of lane `lane` of `lanes`, in slices of `slice`, and returns its number.
  std::uint32_t add(RelayStage stage, std::uint32_t lanes, std::uint32_t lane, std::int64_t slice) {
    stage.bytes = part_bytes(op_.bytes, op_.element_bytes, lanes, lane);
    const std::int64_t units = stage.bytes / std::max<std::int64_t>(1, op_.element_bytes);
    stage.slices = static_cast<std::uint32_t>(
        stage.bytes == 0 ? 0
                         : std::clamp<std::int64_t>((stage.bytes + slice - 1) / slice, 1,
                                                    std::max<std::int64_t>(1, std::min(max_slices, units))));
    stage.first_count = result_.counts;
    result_.counts = stage.count_of_output(static_cast<std::uint32_t>(stage.outputs.size()));
    result_.stages.push_back(std::move(stage));
    return static_cast<std::uint32_t>(result_.stages.size()) - 1;
  }
  RelayPlan take() { return std::move(result_); }

 private:
  const GroupPlan& plan_;
  const Op& op_;
  std::uint32_t index_, server_;
  EndpointId self_;
  std::uint32_t trees_;
  RelayPlan result_;
};

}  // namespace

RelayPlan tree_all_reduce(const GroupPlan& plan, EndpointId member, const Op& op, Protocol protocol,
                          std::uint32_t channels) {
  Builder builder(plan, member, op);
  const std::uint32_t lanes = channels * builder.trees(), index = plan.index_of(member);
  const std::uint32_t server = plan.server_of(index), size = plan.members_of(server);
  const Medium local = plan.has_nvlink ? Medium::nvlink : Medium::pci;
  const std::int64_t slice = tree_slice(*plan.nccl, plan, protocol, lanes, op.bytes);
  // The first slice's way is that of a channel's threads, not of the whole link.
  const SimTime copy = channel_time(*plan.nccl, plan, protocol, lanes, std::min(slice, op.bytes / lanes));
  const SimTime near = plan.nccl->tree_software(protocol, local) + copy,
                far = plan.nccl->tree_software(protocol, Medium::net) + copy;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const std::uint32_t channel = lane / builder.trees();
    auto at = [&](std::uint32_t of_server, std::uint32_t place) {
      return plan.ring_member(channel, plan.server_first[of_server] + place);
    };
    const std::uint32_t place = plan.ring_position(channel, index) - plan.server_first[server];
    const Connection up_link = builder.connection(Phase::tree_up, lane);
    const Connection down_link = builder.connection(Phase::tree_down, lane);
    const Connection up_clear = builder.connection(Phase::tree_up_clear, lane);
    const Connection down_clear = builder.connection(Phase::tree_down_clear, lane);
    RelayStage up, down;
    bool is_root = false;
    if (place + 1 < size) {
      up.inputs.push_back({at(server, place + 1), up_link, near, false});
      down.outputs.push_back({at(server, place + 1), down_link, InSwitch::nothing});
    }
    if (place > 0) {
      up.outputs.push_back({at(server, place - 1), up_link, InSwitch::nothing});
      down.inputs.push_back({at(server, place - 1), down_link, near, false});
    } else {
      const TreePlace tree = builder.place(lane);
      for (std::uint32_t child : tree.children) {
        up.inputs.push_back({at(child, 0), up_link, far, false, up_clear});
        down.outputs.push_back({at(child, 0), down_link, InSwitch::nothing, down_clear});
      }
      is_root = tree.parent == TreePlace::none;
      if (!is_root) {
        up.outputs.push_back({at(tree.parent, 0), up_link, InSwitch::nothing, up_clear});
        down.inputs.push_back({at(tree.parent, 0), down_link, far, false, down_clear});
      }
    }
    const std::uint32_t up_stage = builder.add(std::move(up), lanes, lane, slice);
    if (is_root) down.after = up_stage;
    builder.add(std::move(down), lanes, lane, slice);
  }
  return builder.take();
}

RelayPlan nvls_all_reduce(const GroupPlan& plan, EndpointId member, const Op& op) {
  Builder builder(plan, member, op);
  const std::uint32_t server = plan.server_of(plan.index_of(member)), heads = plan.members_of(server);
  const std::uint32_t lanes = heads * builder.trees();
  const SimTime far = plan.nccl->nvls_tree_software();
  const std::int64_t slice = nvls_slice(*plan.nccl, plan, lanes, op.bytes);
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
      auto head_of = [&](std::uint32_t of_server) {
        return plan.members[plan.server_first[of_server] + head];
      };
      const TreePlace tree = builder.place(lane);
      RelayStage up, down;
      up.inputs.push_back({member, sum, SimTime{0}, true});
      for (std::uint32_t child : tree.children) {
        up.inputs.push_back({head_of(child), up_link, far, false, up_clear});
        down.outputs.push_back({head_of(child), down_link, InSwitch::nothing, down_clear});
      }
      const bool is_root = tree.parent == TreePlace::none;
      if (!is_root) {
        up.outputs.push_back({head_of(tree.parent), up_link, InSwitch::nothing, up_clear});
        down.inputs.push_back({head_of(tree.parent), down_link, far, false, down_clear});
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

RelayPlan nvls_all_gather(const GroupPlan& plan, EndpointId member, const Op& op) {
  Builder builder(plan, member, op);
  const std::uint32_t lanes = plan.size();
  const std::int64_t slice = nvls_slice(*plan.nccl, plan, lanes, op.bytes);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const EndpointId from = builder.neighbour(lane);
    const Connection part = builder.connection(Phase::nvls_result, lane);
    if (from == member) {
      RelayStage give;
      give.outputs.push_back({member, part, InSwitch::multicast});
      builder.add(std::move(give), lanes, lane, slice);
    }
    RelayStage collect;
    collect.inputs.push_back({from, part, SimTime{0}, true});
    builder.add(std::move(collect), lanes, lane, slice);
  }
  return builder.take();
}

RelayPlan nvls_reduce_scatter(const GroupPlan& plan, EndpointId member, const Op& op) {
  Builder builder(plan, member, op);
  const std::uint32_t lanes = plan.size(), own = builder.local();
  const std::int64_t slice = nvls_slice(*plan.nccl, plan, lanes, op.bytes);
  for (std::uint32_t turn = 1; turn <= lanes; ++turn) {
    const std::uint32_t lane = (own + turn) % lanes;
    RelayStage contribute;
    contribute.outputs.push_back(
        {builder.neighbour(lane), builder.connection(Phase::nvls_sum, lane), InSwitch::reduce});
    builder.add(std::move(contribute), lanes, lane, slice);
  }
  RelayStage collect;
  collect.inputs.push_back({member, builder.connection(Phase::nvls_sum, own), SimTime{0}, true});
  builder.add(std::move(collect), lanes, own, slice);
  return builder.take();
}

RelayPlan collnet_all_reduce(const GroupPlan& plan, EndpointId member, const Op& op) {
  Builder builder(plan, member, op);
  const std::uint32_t heads = plan.members_of(plan.server_of(plan.index_of(member)));
  const SimTime near = plan.nccl->collnet_software(plan.has_nvlink ? Medium::nvlink : Medium::pci),
                far = plan.nccl->collnet_software(Medium::net);
  for (std::uint32_t lane = 0; lane < heads; ++lane) {
    const EndpointId head = builder.neighbour(lane);
    const Connection up_link = builder.connection(Phase::tree_up, lane);
    const Connection down_link = builder.connection(Phase::tree_down, lane);
    const Connection fabric = builder.connection(Phase::collnet, lane);
    RelayStage up, down;
    if (head == member) {
      for (std::uint32_t i = 0; i < heads; ++i) {
        if (i == lane) continue;
        up.inputs.push_back({builder.neighbour(i), up_link, near, false});
        down.outputs.push_back({builder.neighbour(i), down_link, InSwitch::nothing});
      }
      up.outputs.push_back({member, fabric, InSwitch::fabric_reduce});
      down.inputs.push_back({member, fabric, far, true});
    } else {
      up.outputs.push_back({head, up_link, InSwitch::nothing});
      down.inputs.push_back({head, down_link, near, false});
    }
    builder.add(std::move(up), heads, lane, plan.nccl->point_chunk_net.value);
    builder.add(std::move(down), heads, lane, plan.nccl->point_chunk_net.value);
  }
  return builder.take();
}

}  // namespace lightrail
