#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "workloads/collective/collective_plan.hpp"
#include "workloads/collective/group_plan.hpp"
#include "workloads/collective/nccl_settings.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// One collective of one member, as its plan is made.
struct CollectiveInput {
  const GroupPlan& plan;   ///< the group by servers and rails; `plan.nccl` is what its collectives take
  const GroupView& group;  ///< the group in its own order; the member is `group.my_index`
  const Op& op;
  Protocol protocol = Protocol::simple;  ///< never auto_select
  /// Bytes that member `from` has for member `to` (indices of the group): an all-to-all.
  std::function<std::int64_t(std::uint32_t from, std::uint32_t to)> share;

  [[nodiscard]] EndpointId self() const { return group.member(group.my_index); }
};

/// How the protocol is chosen.
enum class ProtocolRule : std::uint8_t {
  by_cost,      ///< LL, LL128 or Simple: the wanted one, else whichever cost() says is fastest
  simple_only,  ///< Simple, whatever is wanted; where Simple is not wanted, `auto` leaves the algorithm out
  own,          ///< own_protocol(), whatever is wanted
  by_message    ///< the wanted one, else as of sends: LL up to point-ll-threshold a member, Simple above
};

/// One way to carry out a collective: all that Lightrail knows of it. One file each in algorithms/, one line
/// in its list; a plugin adds its own to the AlgorithmRegistry. Immutable; what runs keeps no state here.
/// Where an all-to-all of experts' tokens takes them from and leaves them; the kernels beside it follow.
enum class TokenBuffers : std::uint8_t {
  by_sender,  ///< sent as a copy an expert, in the order of receivers; what comes is in the order of senders
  arrival,    ///< sent from where they are; what comes is there once a token, and permuted from there
  staged      ///< the same, through buffers of the library over servers, by maps of all members' tokens
};

class CollectiveAlgorithm {
 public:
  virtual ~CollectiveAlgorithm() = default;

  /// As scenarios and messages write it, lower case with hyphens: "nvls-tree".
  [[nodiscard]] virtual std::string name() const = 0;
  /// One sentence for `lightrail describe collective`.
  [[nodiscard]] virtual std::string doc() const = 0;
  [[nodiscard]] virtual bool serves(CollectiveType type) const = 0;
  /// Also where members stand for several (GroupPlan::stands_for).
  [[nodiscard]] virtual bool serves_folded(CollectiveType) const { return false; }
  /// Whether switches of the fabric make its sums (GroupPlan::fabric_sums).
  [[nodiscard]] virtual bool reduces_in_fabric() const { return false; }
  /// Why this group cannot run `op`, to follow "algorithm 'x' ": "needs one GPU of each server"; nothing: it
  /// can. All members of the group must get the same answer. `op` is of a collective that it serves.
  [[nodiscard]] virtual std::optional<std::string> hindrance(const GroupPlan& plan, const Op& op) const;
  /// The same with what is in the way of any algorithm: what callers ask.
  [[nodiscard]] std::optional<std::string> obstacle(const GroupPlan& plan, const Op& op) const;
  [[nodiscard]] virtual ProtocolRule protocol_rule() const = 0;
  /// With ProtocolRule::own.
  [[nodiscard]] virtual Protocol own_protocol() const { return Protocol::simple; }
  /// Estimate [s] by which `auto` chooses, and ProtocolRule::by_cost; nothing: it runs only where it is asked
  /// for by name (then not with by_cost). What a collective then takes comes from its messages.
  [[nodiscard]] virtual std::optional<double> cost(const NcclSettings& settings, const GroupPlan& plan,
                                                   const Op& op, Protocol protocol) const;
  /// From the start of the operation to its first message.
  [[nodiscard]] virtual SimTime start_delay(const GroupPlan& plan, const Op& op, Protocol protocol) const = 0;
  /// What member `self` receives a second, on average, where nothing is in its way: what kernels beside it
  /// lose of their memory's bandwidth follows from it. Here: what a server's rails bring, which its members
  /// share over NVLink; the start counts.
  [[nodiscard]] virtual BitRate receive_rate(const GroupPlan& plan, EndpointId self, const Op& op,
                                             Protocol protocol) const;
  /// Multiprocessors that it holds while it runs; 0: those of a GPU kind's collectives.
  [[nodiscard]] virtual std::uint32_t sms(const GroupPlan& plan) const;
  /// Attributes of <nccl> that its collectives of `plan` take since `own`, what a GPU kind of the group has
  /// measured, has no such figure; null: it has measured nothing.
  [[nodiscard]] virtual std::vector<const char*> borrowed(const GroupPlan& plan, const NcclDevice* own) const;
  /// Of an all-to-all of experts' tokens.
  [[nodiscard]] virtual TokenBuffers token_buffers() const;
  /// How the member carries it out. Called once a collective and member, and once more after a checkpoint.
  [[nodiscard]] virtual CollectivePlan plan(const CollectiveInput& in) const = 0;
};

}  // namespace lightrail
