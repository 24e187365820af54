#pragma once
#include <cstdint>
#include <utility>

#include "network/wire/connection.hpp"
#include "network/wire/phase.hpp"
#include "workloads/collective/algorithm.hpp"
#include "workloads/collective/double_tree.hpp"

namespace lightrail {

/// Writes the RelayPlan of one member, stage by stage: who sits where, which connection a lane has, into how
/// many slices its bytes are cut.
class RelayBuilder {
 public:
  /// `in` must outlive it. `switch_efficiency`, `net_chunk` [B]: of the plan.
  RelayBuilder(const CollectiveInput& in, double switch_efficiency, std::int64_t net_chunk);

  /// Slices of a stage at most: bounds the messages of a member; filling the pipeline costs depth / slices.
  static constexpr std::int64_t max_slices = 512;
  /// Lanes at most: each is a channel of its connections.
  static constexpr std::uint32_t max_lanes = Connection::max_channels;
  /// Trees over the group's servers: 2 over several, 1 in one.
  [[nodiscard]] static std::uint32_t trees_over(const GroupPlan& plan) { return plan.servers() > 1 ? 2 : 1; }
  [[nodiscard]] std::uint32_t trees() const { return trees_over(in_.plan); }
  /// The member's server, and its place among the server's members.
  [[nodiscard]] std::uint32_t server() const { return server_; }
  [[nodiscard]] std::uint32_t local() const { return index_ - in_.plan.server_first[server_]; }
  /// The member at place `local` of the own server.
  [[nodiscard]] EndpointId neighbour(std::uint32_t local) const { return member_of(server_, local); }
  [[nodiscard]] EndpointId member_of(std::uint32_t server, std::uint32_t local) const {
    return in_.plan.members[in_.plan.server_first[server] + local];
  }
  [[nodiscard]] Connection connection(Phase phase, std::uint32_t lane) const;
  /// The own server in the tree that `lane` takes.
  [[nodiscard]] TreePlace tree_place(std::uint32_t lane) const;

  /// Appends a stage of lane `lane` of `lanes` (<= max_lanes), which share the operation's bytes equally, in
  /// slices of at most `slice` [B], unless that were more than `most`; returns its number.
  std::uint32_t add(RelayStage stage, std::uint32_t lanes, std::uint32_t lane, std::int64_t slice,
                    std::int64_t most = max_slices);
  /// The number of the stage that add() returns next.
  [[nodiscard]] std::uint32_t next() const { return static_cast<std::uint32_t>(result_.stages.size()); }
  [[nodiscard]] RelayPlan take() { return std::move(result_); }

 private:
  const CollectiveInput& in_;
  std::uint32_t index_, server_;
  RelayPlan result_;
};

}  // namespace lightrail
