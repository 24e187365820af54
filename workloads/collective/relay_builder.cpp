#include "workloads/collective/relay_builder.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/collective/ring.hpp"

namespace lightrail {
RelayBuilder::RelayBuilder(const CollectiveInput& in, double switch_efficiency, std::int64_t net_chunk)
    : in_(in), index_(in.plan.index_of(in.self())), server_(in.plan.server_of(index_)) {
  result_.switch_efficiency = switch_efficiency;
  result_.net_chunk = net_chunk;
}

Connection RelayBuilder::connection(Phase phase, std::uint32_t lane) const {
  return Connection::make(in_.op.group.value, lane, static_cast<std::uint32_t>(phase));
}

TreePlace RelayBuilder::tree_place(std::uint32_t lane) const {
  return double_tree(in_.plan.servers(), server_, lane % trees());
}

std::uint32_t RelayBuilder::add(RelayStage stage, std::uint32_t lanes, std::uint32_t lane, std::int64_t slice,
                                std::int64_t most) {
  LIGHTRAIL_EXPECT(lane < lanes && lanes <= max_lanes);
  const Op& op = in_.op;
  stage.bytes = part_bytes(op.bytes, op.element_bytes, lanes, lane);
  const std::int64_t units = stage.bytes / std::max<std::int64_t>(1, op.element_bytes);
  stage.slices = static_cast<std::uint32_t>(
      stage.bytes == 0 ? 0
                       : std::clamp<std::int64_t>((stage.bytes + slice - 1) / slice, 1,
                                                  std::max<std::int64_t>(1, std::min(most, units))));
  stage.first_count = result_.counts;
  result_.counts = stage.count_of_output(static_cast<std::uint32_t>(stage.outputs.size()));
  result_.stages.push_back(std::move(stage));
  return static_cast<std::uint32_t>(result_.stages.size()) - 1;
}

}  // namespace lightrail
