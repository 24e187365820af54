#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/phase.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/collective/collective_plan.hpp"
#include "workloads/collective/comm_run.hpp"
#include "workloads/collective/formula_detail.hpp"
#include "workloads/collective/group_plan.hpp"
#include "workloads/collective/io_endpoints.hpp"
#include "workloads/collective/nccl_settings.hpp"
#include "workloads/collective/recall_plan.hpp"
#include "workloads/collective/transport.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/peer.hpp"
#include "workloads/program/program_index.hpp"

namespace lightrail {

/// The communication operations of one GPU as messages: one state machine an operation, driven by "the next
/// message of this connection has arrived" and "my message is on the wire". No member knows anything but its
/// own arrivals.
///
/// Every collective, send and receive first spends its algorithm's start. A collective's CollectivePlan says
/// how it goes on. RingSteps: one message a step and channel; a step is sent when the step before was
/// received and, over the network, the next member's buffer has a place; software time after each receive.
/// RingStream: the ring from the root, cut into slices that follow one another. PeerMessages: every peer at
/// once, in pair_order(); the own share moves inside the GPU. A message over the eager limit waits for the
/// receiver's clear-to-send. Storage and host copies: request, data, done.
///
/// Messages of a member: at most 2(n-1) a channel for rings, 64 a channel for a broadcast, n for an
/// all-to-all, slices times neighbours for a RelayPlan.
class CommEngine {
 public:
  /// Needs the resources of prepare_execution(). All references must outlive this.
  CommEngine(const Model& model, const Program& program, const ProgramIndex& index, EndpointId self);

  static constexpr std::uint32_t no_slot = 0xffffffff;
  /// The next iteration's operations; between two operations, with nothing under way.
  void go_on_with(const Program& program) { program_ = &program; }
  /// Starts op `op` of an iteration of the job and returns its slot, or no_slot for a collective over a group
  /// of one: nothing to do.
  std::uint32_t start(Context& context, Transport& transport, std::uint32_t op, std::uint32_t iteration);
  /// What happened to the run in `owner.slot`; true when that completes it.
  bool on_timer(Context& context, Transport& transport, Owner owner);
  bool on_received(Context& context, Transport& transport, Owner owner);
  bool on_end(Context& context, Transport& transport, const MessageEnd& end);
  /// The operation in `slot`, which a formula has the time of, has ended.
  void on_met(std::uint32_t slot);
  /// The collective in `slot`, of which Transport::tell_start has told and which has sent nothing yet, goes
  /// as one did before it: it ends at `end`, by a wake that was set at `set_at`.
  void on_recalled(Context& context, Transport& transport, std::uint32_t slot, SimTime set_at, SimTime end);

  /// Whether an operation is an all-to-all in which other GPUs take part.
  [[nodiscard]] bool has_exchange_partners(const Op& op) const {
    return op.kind == OpKind::collective && op.collective == CollectiveType::all_to_all && view(op).size > 1;
  }
  /// An exchange has ended: the next one of its group may be announced.
  void announce_next(Context& context, Transport& transport, std::uint32_t op);

  [[nodiscard]] const CommRun& run(std::uint32_t slot) const { return runs_[slot]; }
  /// Whether that operation sends to other servers: a message to another one, or a collective whose group
  /// lies on several.
  [[nodiscard]] bool leaves_server(const Op& op) const;
  /// What this GPU receives of the operation in `slot` a second, on average, where nothing is in its way
  /// (CollectiveAlgorithm::receive_rate; of a send or receive what its line carries).
  [[nodiscard]] BitRate rate(std::uint32_t slot) const;
  /// Multiprocessors that the collective in `slot` holds; 0: those of a GPU kind's collectives.
  [[nodiscard]] std::uint32_t sms(std::uint32_t slot) const;
  /// When the send or receive in `slot` could move its bytes, its software's start done; one without bytes
  /// needs nobody: never.
  [[nodiscard]] SimTime ready_at(std::uint32_t slot) const;
  /// Gives the slot of a complete run back.
  void release(std::uint32_t slot);
  /// Forgets all runs.
  void drop_all() { runs_.clear(), free_.clear(), collective_plans_.clear(); }
  /// "waits for data from gpu2", of the run in `slot`.
  [[nodiscard]] std::string waits_for(const Transport& transport, std::uint32_t slot) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  /// Bits of CommRun::Count::sent where a message is followed: handed to the transport, on the wire.
  static constexpr std::uint32_t is_posted = 1, is_sent = 2;
  /// Owner::sub of a message that no count of the run follows.
  static constexpr std::uint32_t no_count = 0xffffffff;
  struct RingPlace {
    std::uint32_t n = 0;                     ///< places, with those that members stand for
    std::uint32_t position = 0, before = 0;  ///< own place, and that of `previous`
    EndpointId next{}, previous{};
  };
  struct Slices {
    std::int64_t bytes = 0;
    std::uint32_t count = 0;
  };

  [[nodiscard]] const Op& op_of(std::uint32_t slot) const { return program_->ops[runs_[slot].op]; }
  [[nodiscard]] GroupView view(const Op& op) const { return groups_->group_of(op.group, self_); }
  [[nodiscard]] std::uint32_t index_in_group(const Op& op, EndpointId member) const {
    return groups_->group_of(op.group, member).my_index;
  }
  [[nodiscard]] const GroupPlan& plan(const Op& op) const { return plans_->of(op.group, self_); }
  /// What the collectives of the operation's group take.
  [[nodiscard]] const NcclSettings& nccl(const Op& op) const { return *plan(op).nccl; }
  [[nodiscard]] EndpointId peer_of(const Op& op) const { return lightrail::peer_of(op, view(op)); }
  [[nodiscard]] EndpointId io_peer(const Op& op) const;
  [[nodiscard]] std::string name_of(EndpointId endpoint) const;
  [[nodiscard]] Connection connection(const Op& op, Phase phase, std::uint32_t channel = 0) const;
  [[nodiscard]] Connection io_connection(std::uint32_t op, Phase phase) const;
  /// A GPU's messages to itself never wait: nobody else could make it ready.
  [[nodiscard]] bool waits_for_clear(std::int64_t payload, Medium medium) const {
    return medium != Medium::local && payload > nccl_->eager_limit(medium);
  }

  /// Of a send or a receive: its software's start; that of a bare receive lies behind its message.
  [[nodiscard]] SimTime point_start(const Op& op, Protocol protocol) const {
    if (protocol != Protocol::bare) return nccl(op).point_base(protocol);
    return op.kind == OpKind::send ? op.duration : SimTime{0};
  }

  /// What the collective of a slot goes by. Not state: follows from its operation, algorithm and protocol.
  [[nodiscard]] const CollectivePlan& collective_plan(std::uint32_t slot) const;
  [[nodiscard]] bool is_collective(std::uint32_t slot) const {
    return op_of(slot).kind == OpKind::collective;
  }
  template <class Plan>
  [[nodiscard]] const Plan& plan_as(std::uint32_t slot) const {
    return std::get<Plan>(collective_plan(slot));
  }
  /// Payload that this GPU sends of an operation, as nccl-tests counts it.
  [[nodiscard]] std::int64_t payload_of(const Op& op) const;
  /// `skew`: by how much later it comes than the program.
  void meet(Context& context, Transport& transport, std::uint32_t slot, SimTime skew);
  /// Of a collective that has just started and begins after `delay`.
  void tell_start(Context& context, Transport& transport, std::uint32_t slot, SimTime delay);
  bool on_recall_timer(Context& context, Transport& transport, Owner owner);
  void begin_collective(Context& context, Transport& transport, std::uint32_t slot);
  void on_message(Context& context, Transport& transport, Owner owner);
  /// After the last message: true when the run is complete, else a timer for messages that are sure to end
  /// and for what the kernel still copies.
  bool finish(Context& context, Transport& transport, std::uint32_t slot);

  [[nodiscard]] RingPlace place(std::uint32_t slot, std::uint32_t channel) const;
  void begin_ring(Context& context, Transport& transport, std::uint32_t slot);
  [[nodiscard]] std::int64_t ring_bytes(std::uint32_t slot, std::uint32_t channel, std::uint32_t position,
                                        std::uint32_t step) const;
  [[nodiscard]] std::int64_t block_wire_bytes(std::uint32_t slot, Medium medium, std::int64_t payload) const;
  void expect_block(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t channel,
                    std::uint32_t step);
  void take_block(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t channel);
  void pump_ring(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t channel);
  void send_block(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t channel,
                  std::uint32_t step);
  [[nodiscard]] std::uint32_t ring_window(std::uint32_t slot) const;
  [[nodiscard]] bool has_ring_slots(const Transport& transport, std::uint32_t slot, EndpointId peer) const;
  void expect_ring_clear(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t channel,
                         std::uint32_t step);
  [[nodiscard]] std::uint32_t blocks_to(const Transport& transport, std::uint32_t slot,
                                        EndpointId peer) const;
  void clear_blocks(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t channel);
  [[nodiscard]] bool outgrows_buffer(std::uint32_t slot, Medium medium, std::int64_t payload) const;
  void on_block(Context& context, Transport& transport, Owner owner);
  /// How long the kernel of a ring copies its own block.
  [[nodiscard]] SimTime own_copy(const Op& op) const {
    return nccl(op).copy_time((op.bytes + plan(op).size() - 1) / plan(op).size());
  }
  void begin_folded(Context& context, Transport& transport, std::uint32_t slot);

  void begin_relay(Context& context, Transport& transport, std::uint32_t slot);
  [[nodiscard]] std::int64_t relay_wire_bytes(std::uint32_t slot, Medium medium, bool is_of_switch,
                                              std::int64_t payload) const;
  [[nodiscard]] SimTime start_skew(SimTime now) const;
  void expect_relay(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t stage,
                    std::uint32_t input);
  [[nodiscard]] static bool has_slots(const RelayStage::Output& output, const Transport& transport);
  void expect_slots(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t stage);
  void advance_relay(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t stage);
  void on_relay(Context& context, Transport& transport, Owner owner);

  void begin_exchange(Context& context, Transport& transport, std::uint32_t slot);
  void advance_exchange(Context& context, Transport& transport, std::uint32_t slot);
  void on_exchange(Context& context, Transport& transport, Owner owner);

  [[nodiscard]] Slices slices(std::uint32_t slot, std::uint32_t channel) const;
  [[nodiscard]] std::int64_t slice_payload(std::uint32_t slot, std::uint32_t channel,
                                           std::uint32_t slice) const;
  void begin_broadcast(Context& context, Transport& transport, std::uint32_t slot);
  void expect_slice(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t channel);
  void send_slice(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t channel,
                  std::uint32_t slice, bool notify);
  void on_slice(Context& context, Transport& transport, Owner owner);

  [[nodiscard]] std::int64_t share(const Op& op, std::uint32_t from, std::uint32_t to,
                                   std::uint32_t size) const;
  [[nodiscard]] std::vector<PeerBytes> demand(const Op& op) const;
  void begin_all_to_all(Context& context, Transport& transport, std::uint32_t slot);
  void send_to_peer(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t offset);
  void on_share(Context& context, Transport& transport, Owner owner);

  void begin_barrier(Context& context, Transport& transport, std::uint32_t slot);
  void barrier_round(Context& context, Transport& transport, std::uint32_t slot);
  void on_barrier(Context& context, Transport& transport, std::uint32_t slot);

  void begin_point(Context& context, Transport& transport, std::uint32_t slot);
  /// On the wire, of a send or a receive.
  [[nodiscard]] std::int64_t point_bytes(std::uint32_t slot, Medium medium) const;
  void send_point(Context& context, Transport& transport, std::uint32_t slot);
  void on_point(Context& context, Transport& transport, Owner owner);

  void begin_io(Context& context, Transport& transport, std::uint32_t slot);
  void send_io(Context& context, Transport& transport, std::uint32_t slot);
  void on_io(Context& context, Transport& transport, Owner owner);

  // What a run waits for, in words (waits.cpp).
  [[nodiscard]] std::string waits_for_data(EndpointId from) const;
  [[nodiscard]] std::string waits_to_leave(EndpointId to) const;
  [[nodiscard]] std::string waits_until_ready(EndpointId to) const;
  [[nodiscard]] std::string ring_waits(std::uint32_t slot) const;
  [[nodiscard]] std::string stream_waits(std::uint32_t slot) const;
  [[nodiscard]] std::string peer_waits(const Transport& transport, std::uint32_t slot) const;
  [[nodiscard]] std::string barrier_waits(std::uint32_t slot) const;
  [[nodiscard]] std::string relay_waits(const RelayPlan& all, std::uint32_t slot) const;
  [[nodiscard]] std::string exchange_waits(const ExchangePlan& all, std::uint32_t slot) const;

  const Model* model_;
  const Program* program_;
  const ProgramIndex* index_;
  const ProgramSet* set_;
  const GroupTable* groups_;
  const GroupPlans* plans_;
  const AlgorithmRegistry* algorithms_;
  const AddressBook* book_;
  const NcclSettings* nccl_;
  const IoEndpoints* io_;
  const FormulaDetail* formula_;  ///< null: all communication is messages
  const RecallPlan* recall_;      ///< null: nothing is recalled
  EndpointId self_;
  std::int64_t net_train_bytes_ = 0;  ///< the longest of any link but NVLink [B]

  std::vector<CommRun> runs_;
  std::vector<std::uint32_t>
      started_;  ///< by group kind: collectives so far; empty where nothing is recalled
  std::vector<std::uint32_t> free_;
  mutable std::vector<std::optional<CollectivePlan>> collective_plans_;  ///< by slot; not state
};

}  // namespace lightrail
