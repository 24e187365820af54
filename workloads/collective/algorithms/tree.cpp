#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "workloads/collective/algorithm.hpp"
#include "workloads/collective/cost_model.hpp"
#include "workloads/collective/cost_terms.hpp"
#include "workloads/collective/relay_builder.hpp"
#include "workloads/collective/relay_slices.hpp"
#include "workloads/collective/tree_correction.hpp"

namespace lightrail {
namespace {

/// Two trees over servers; inside a server a chain that starts at the rail's GPU. Rail c and tree t are lane
/// 2 c + t (one server: no network, lane c); lanes share the bytes.
class Tree final : public CollectiveAlgorithm {
 public:
  [[nodiscard]] std::string name() const override { return "tree"; }
  [[nodiscard]] std::string doc() const override {
    return "up and down two binary trees over servers (double tree), a chain inside each";
  }
  [[nodiscard]] bool serves(CollectiveType type) const override { return type == CollectiveType::all_reduce; }
  [[nodiscard]] std::optional<std::string> hindrance(const GroupPlan& plan, const Op&) const override {
    const std::uint32_t most = RelayBuilder::max_lanes / RelayBuilder::trees_over(plan);
    if (plan.channels > most) return fmt::format("takes at most {} NICs of a server", most);
    return std::nullopt;
  }
  [[nodiscard]] ProtocolRule protocol_rule() const override { return ProtocolRule::by_cost; }

  /// base + 2 ((members of a server - 1) * hop(NVLink) + log2 servers * hop(net)); half of NVLink, the rails
  /// (tree_rails) x tree efficiency x tree_correction_of; LL / 3.8, LL128 120/128 (one server 7/9).
  [[nodiscard]] std::optional<double> cost(const NcclSettings& settings, const GroupPlan& plan, const Op& op,
                                           Protocol protocol) const override {
    const std::uint32_t servers = plan.servers();
    const double chain = static_cast<double>(plan.size()) / servers - 1;
    const double latency =
        seconds(settings.tree_base(protocol)) +
        2 * (chain * seconds(settings.tree_hop(protocol, plan.has_nvlink ? Medium::nvlink : Medium::pci)) +
             std::log2(servers) * net_seconds(plan, protocol, settings.tree_hop(protocol, Medium::net)));
    // What links carry: every byte goes up and down.
    double bits = bits_of(plan.local_rate);
    if (servers > 1)
      bits = plan.size() == servers ? 2 * tree_rails(plan) : std::min(bits, 2 * tree_rails(plan));
    bits *= settings.tree_efficiency;
    if (protocol == Protocol::ll) bits /= 3.8;
    if (protocol == Protocol::ll128) bits *= servers == 1 ? 7.0 / 9 : 120.0 / 128;
    bits =
        within_tree_limits(bits, settings, plan, protocol) * (0.5 * tree_correction_of(protocol, op.bytes));
    return with_transfer(latency, static_cast<double>(op.bytes), bits);
  }

  [[nodiscard]] SimTime start_delay(const GroupPlan& plan, const Op&, Protocol protocol) const override {
    return plan.nccl->tree_base(protocol);
  }

  [[nodiscard]] CollectivePlan plan(const CollectiveInput& in) const override;
};

CollectivePlan Tree::plan(const CollectiveInput& in) const {
  const GroupPlan& plan = in.plan;
  const NcclSettings& nccl = *plan.nccl;
  RelayBuilder builder(in, 0, nccl.chunk_bytes(in.protocol));
  const std::uint32_t lanes = ring_channels(nccl, plan, in.protocol, in.op.bytes) * builder.trees();
  const std::uint32_t server = builder.server(), size = plan.members_of(server);
  const std::uint32_t index = plan.index_of(in.self());
  const Medium local = plan.has_nvlink ? Medium::nvlink : Medium::pci;
  const std::int64_t slice = tree_slice(nccl, plan, in.protocol, lanes, in.op.bytes);
  // The first slice's way is that of a channel's threads, not of the whole link.
  const SimTime copy = channel_time(nccl, plan, in.protocol, lanes, std::min(slice, in.op.bytes / lanes));
  const SimTime near = nccl.tree_software(in.protocol, local) + copy,
                far = nccl.tree_software(in.protocol, Medium::net) + copy;
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
      const TreePlace tree = builder.tree_place(lane);
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

}  // namespace

std::shared_ptr<const CollectiveAlgorithm> tree_algorithm() {
  return std::make_shared<const Tree>();
}

}  // namespace lightrail
