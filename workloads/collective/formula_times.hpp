#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "engine/model/model.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/collective/cost_model.hpp"
#include "workloads/collective/group_plan.hpp"
#include "workloads/collective/send_room.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// How long communication takes that has the system to itself: nothing waits for lines, buffers or switches,
/// and a fabric carries whatever NICs send.
///
/// A ring takes its steps one after the other, or what its slowest line needs for all of them. Exchanges go
/// by their plans: what their start takes, what each line has to carry and a proxy thread to post, and what
/// comes before the first byte and behind the last one. Trees and sums in switches take what NCCL estimates
/// (CollectiveAlgorithm::cost) by what the GPU kind has measured; that knows no slices that fill a pipeline
/// and is up to a quarter too short between 4 and 64 MiB.
class FormulaTimes {
 public:
  /// Of a model with a job. It must outlive this.
  explicit FormulaTimes(const Model& model);

  /// From the arrival of the last member to the end, as far as what `self` sends and receives decides it.
  /// `op` is a collective over more than one.
  [[nodiscard]] SimTime of_collective(const Op& op, EndpointId self);

  /// Of an all-to-all whose members send to each other all at once, by member: when it has sent and received
  /// everything, if members came at `arrived` (by member). Empty for other collectives. `self` is a member.
  [[nodiscard]] std::vector<SimTime> ends_of_pairs(const Op& op, EndpointId self,
                                                   std::span<const SimTime> arrived);

  struct Point {
    bool is_rendezvous = false;  ///< the sender waits for the receiver
    SimTime start{};             ///< from the operation to its first byte
    SimTime sent{}, received{};  ///< ends of the send and the receive, from when all who must be there are
    SimTime software{};          ///< of the receiver, behind the last byte
  };
  /// Of a send or a receive between two GPUs.
  [[nodiscard]] Point of_point(const Op& op, EndpointId from, EndpointId to) const;

 private:
  /// A collective of one member, its algorithm chosen.
  struct Member {
    const GroupPlan& plan;
    const GroupView& group;
    const Op& op;
    Choice choice;

    [[nodiscard]] std::uint32_t server_of(EndpointId gpu) const { return plan.server_of(plan.index_of(gpu)); }
    [[nodiscard]] EndpointId self() const { return group.member(group.my_index); }
    [[nodiscard]] Medium local() const { return plan.has_nvlink ? Medium::nvlink : Medium::pci; }
    /// What bytes to or from another GPU cross.
    [[nodiscard]] Medium medium(EndpointId peer) const {
      if (peer == self()) return Medium::local;
      return server_of(peer) == server_of(self()) ? local() : Medium::net;
    }
    /// Whether a GPU has the member's place in its server, so the same rail.
    [[nodiscard]] bool is_on_rail(EndpointId peer) const;
    /// Members whose traffic goes by the NIC of this one, it included.
    [[nodiscard]] std::int64_t on_nic(const AddressBook& book) const;
  };
  /// What an exchange moves through the lines of one member, and what a proxy thread posts for it.
  struct Load;

  [[nodiscard]] CollectivePlan plan_of(const Member& member) const;
  [[nodiscard]] SimTime work_out(const Member& member) const;
  [[nodiscard]] SimTime of_ring(const Member& member) const;
  [[nodiscard]] SimTime of_pairs(const Member& member) const;
  /// What is the same of an all-to-all's operation whenever its members come.
  struct Pairs {
    bool are_pairs = false;     ///< members send to each other all at once
    bool has_clears = true;     ///< PairLines::Terms
    std::vector<SimTime> ends;  ///< by member, of those that all come at 0
  };
  [[nodiscard]] Pairs pairs_of(const Member& member) const;
  [[nodiscard]] std::vector<SimTime> ends_of(const Member& member, bool has_clears,
                                             std::span<const SimTime> arrived) const;
  [[nodiscard]] SimTime of_rounds(const Member& member, const ExchangePlan& exchange) const;
  [[nodiscard]] std::int64_t share(const Member& member, std::uint32_t from, std::uint32_t to) const;
  /// From the operation to its first message.
  [[nodiscard]] SimTime start_of(const Member& member) const {
    return algorithms_[member.choice.algorithm].start_delay(member.plan, member.op, member.choice.protocol);
  }

  const ProgramSet& set_;
  const GroupTable& groups_;
  const GroupPlans& plans_;
  const AlgorithmRegistry& algorithms_;
  const NcclSettings& nccl_;
  const AddressBook& book_;
  SendRoom room_;
  /// What was worked out: by member, group kind, and what else an Op says that decides it.
  using Key = std::tuple<std::uint32_t, std::uint32_t, CollectiveType, Algorithm, Protocol, std::int64_t,
                         std::uint16_t, std::int32_t, std::uint32_t>;
  [[nodiscard]] static Key key_of(const Op& op, EndpointId self) {
    return {self.value, op.group.value, op.collective, op.algorithm,    op.protocol,
            op.bytes,   op.split,       op.peer,       op.element_bytes};
  }
  std::map<Key, SimTime> known_;
  std::map<Key, Pairs> known_pairs_;
};

}  // namespace lightrail
