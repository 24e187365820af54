#include "app/cli/expected_events.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "app/cli/read_formula.hpp"
#include "app/cli/smallest_train.hpp"
#include "network/port/trains_per_message.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/collective/cost_model.hpp"
#include "workloads/collective/formula_detail.hpp"
#include "workloads/collective/group_plan.hpp"
#include "workloads/collective/ring.hpp"
#include "workloads/program/peer.hpp"
#include "workloads/program/program.hpp"
#include "workloads/program/program_index.hpp"

namespace lightrail {
namespace {

/// More programs than that are not looked at: of a trace every GPU has its own.
constexpr std::size_t most_programs = 256;

// Measured on 14 steps and collectives of 8 to 10,240 GPUs (docs/scaling.md): what an operation, a message
// and a train make, beside each other, and what these take on a core of a server.
constexpr double events_an_operation = 0.5;  // kernels without communication between them are one
constexpr double events_a_near_message = 1.2,
                 events_a_far_message = 5.5;  // request, proxy, end, clear-to-send
constexpr double events_a_near_train = 3;     // GPU, NVSwitch, GPU
constexpr double events_a_far_train = 3.5;    // NIC, leaf, NIC and credits; more where spines are between
constexpr double program_event_s = 0.42e-6, train_event_s = 0.13e-6;
constexpr double gpus_in_cache = 1'280;

/// Messages of equal length.
struct Sent {
  double messages = 0, bytes = 0;

  void add(double more, double bytes_of_all) { messages += more, bytes += bytes_of_all; }
};
struct Traffic {
  Sent near = {}, far = {};  ///< within a server, to others
  double operations = 0;
};

/// How messages are cut.
struct Cut {
  TrainSize train = {};
  double least = 1;  ///< trains of a message

  /// Of all messages together.
  [[nodiscard]] double trains(const Sent& sent) const {
    if (sent.messages <= 0 || train.bytes() <= 0) return 0;
    const double each = sent.bytes / sent.messages;
    return sent.messages * std::max({1.0, each / static_cast<double>(train.bytes()),
                                     std::min(least, each / train.packet_bytes)});
  }
};

/// What one member sends of its operations.
class Sender {
 public:
  Sender(const Model& model, EndpointId self)
      : groups_(*model.resource<GroupTable>()),
        plans_(*model.resource<GroupPlans>()),
        algorithms_(*model.resource<AlgorithmRegistry>()),
        settings_(*model.resource<NcclSettings>()),
        self_(self) {}

  void add(const Op& op, double times) {
    const GroupView group = groups_.group_of(op.group, self_);
    if (group.size < 2) return;
    const GroupPlan& plan = plans_.of(op.group, self_);
    if (op.kind == OpKind::send) {
      add_message(plan, peer_of(op, group), times, static_cast<double>(op.bytes) * times);
      return;
    }
    const auto key = std::tuple(op.group.value, op.collective, op.algorithm, op.protocol, op.bytes);
    const auto [known, is_new] = known_.try_emplace(key);
    if (is_new) known->second = of_collective(plan, group, op);
    all_.near.add(times * known->second.near.messages, times * known->second.near.bytes);
    all_.far.add(times * known->second.far.messages, times * known->second.far.bytes);
  }
  void add_operation(double times) { all_.operations += times; }
  void add_io(const Op& op, double times) { all_.far.add(times, times * static_cast<double>(op.bytes)); }
  [[nodiscard]] const Traffic& all() const { return all_; }

 private:
  [[nodiscard]] bool is_near(const GroupPlan& plan, EndpointId peer) const {
    return plan.server_of(plan.index_of(peer)) == plan.server_of(plan.index_of(self_));
  }
  void add_message(const GroupPlan& plan, EndpointId peer, double messages, double bytes) {
    (is_near(plan, peer) ? all_.near : all_.far).add(messages, bytes);
  }

  [[nodiscard]] Traffic of_collective(const GroupPlan& plan, const GroupView& group, const Op& op) const;
  [[nodiscard]] Traffic of_rings(const GroupPlan& plan, double channels, double messages, double bytes) const;
  [[nodiscard]] Traffic of_peers(const GroupPlan& plan, const Op& op) const;
  [[nodiscard]] Traffic of_relay(const GroupPlan& plan, const RelayPlan& relay) const;
  [[nodiscard]] Traffic of_exchange(const GroupPlan& plan, const ExchangePlan& exchange) const;

  const GroupTable& groups_;
  const GroupPlans& plans_;
  const AlgorithmRegistry& algorithms_;
  const NcclSettings& settings_;
  EndpointId self_;
  std::map<std::tuple<std::uint32_t, CollectiveType, Algorithm, Protocol, std::int64_t>, Traffic> known_;
  Traffic all_;
};

Traffic Sender::of_collective(const GroupPlan& plan, const GroupView& group, const Op& op) const {
  const Choice choice = choose(algorithms_, settings_, plan, op);
  const double equal = static_cast<double>(op.bytes) / group.size;
  const CollectivePlan how = algorithms_[choice.algorithm].plan(
      {plan, group, op, choice.protocol,
       [equal](std::uint32_t, std::uint32_t) { return static_cast<std::int64_t>(equal); }});
  const double n = plan.ring_size(), bytes = static_cast<double>(op.bytes);
  const double steps =
      op.collective == CollectiveType::broadcast ? n : ring_steps(op.collective, plan.ring_size());
  const double channels = ring_channels(*plan.nccl, plan, choice.protocol, op.bytes);
  const auto of = [&](const auto& kind) -> Traffic {
    using Kind = std::decay_t<decltype(kind)>;
    if constexpr (std::is_same_v<Kind, RingSteps>) {
      return of_rings(plan, channels, steps, bytes / n * steps);
    } else if constexpr (std::is_same_v<Kind, FoldedRing>) {
      return {{1, bytes / n * steps}};
    } else if constexpr (std::is_same_v<Kind, RingStream>) {
      const auto slice = static_cast<double>(
          plan.nccl->slice_bytes(choice.protocol, plan.servers() > 1 ? Medium::net : Medium::nvlink));
      return of_rings(plan, channels, std::clamp(bytes / channels / slice, 1.0, 64.0), bytes);
    } else if constexpr (std::is_same_v<Kind, PeerMessages>) {
      return of_peers(plan, op);
    } else if constexpr (std::is_same_v<Kind, RelayPlan>) {
      return of_relay(plan, kind);
    } else if constexpr (std::is_same_v<Kind, ExchangePlan>) {
      return of_exchange(plan, kind);
    } else {
      static_assert(std::is_same_v<Kind, Dissemination>);
      return {};  // control messages
    }
  };
  return std::visit(of, how);
}

/// Each channel leaves a server once, by one of its members. `messages` of a channel.
Traffic Sender::of_rings(const GroupPlan& plan, double channels, double messages, double bytes) const {
  const double members = plan.members_of(plan.server_of(plan.index_of(self_)));
  const double far = plan.ring_servers() == 1 ? 0 : 1 / members;
  Traffic all;
  all.far.add(channels * messages * far, bytes * far);
  all.near.add(channels * messages * (1 - far), bytes * (1 - far));
  return all;
}

Traffic Sender::of_peers(const GroupPlan& plan, const Op& op) const {
  const double n = plan.ring_size(), members = plan.members_of(plan.server_of(plan.index_of(self_)));
  const double share = static_cast<double>(op.bytes) / n;
  Traffic all;
  all.near.add(members - 1, share * (members - 1));
  all.far.add(n - members, share * (n - members));
  return all;
}

Traffic Sender::of_relay(const GroupPlan& plan, const RelayPlan& relay) const {
  Traffic all;
  for (const RelayStage& stage : relay.stages) {
    if (stage.slices == 0) continue;
    const auto bytes = static_cast<double>(stage.bytes);
    for (const RelayStage::Output& output : stage.outputs) {
      if (is_near(plan, output.to))
        all.near.add(stage.slices, bytes);
      else
        all.far.add(std::max<double>(stage.slices,
                                     relay.net_chunk > 0 ? bytes / static_cast<double>(relay.net_chunk) : 0),
                    bytes);
    }
  }
  return all;
}

Traffic Sender::of_exchange(const GroupPlan& plan, const ExchangePlan& exchange) const {
  Traffic all;
  for (const ExchangePlan::Round& round : exchange.rounds)
    for (const ExchangePlan::Message& message : round.sends)
      if (message.peer != self_)
        (is_near(plan, message.peer) ? all.near : all.far).add(1, static_cast<double>(message.wire));
  return all;
}

/// Of one GPU with that program, over all iterations.
Traffic sent_by(const Model& model, const ProgramSet& set, EndpointId gpu, const Program& program) {
  Sender sender(model, gpu);
  const auto* formula = model.resource<PartialFormula>();
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (op.restores) continue;
    double times = op.is_once ? 1 : static_cast<double>(set.iterations_of(program)) / op.every;
    sender.add_operation(times);
    if (formula && !is_io(op.kind) && is_communication(op.kind)) times *= 1 - formula->shares[op.group.value];
    if (is_io(op.kind))
      sender.add_io(op, times);
    else if (op.kind == OpKind::send || op.kind == OpKind::collective)
      sender.add(op, times);
  }
  return sender.all();
}

Expected work_of(const Traffic& sent, const Cut& near, const Cut& far) {
  const double of_programs = events_an_operation * sent.operations +
                             events_a_near_message * sent.near.messages +
                             events_a_far_message * sent.far.messages;
  const double of_trains =
      events_a_near_train * near.trains(sent.near) + events_a_far_train * far.trains(sent.far);
  return {of_programs + of_trains, program_event_s * of_programs + train_event_s * of_trains};
}

}  // namespace

Expected expected_events(const Model& model) {
  const auto* set = model.resource<ProgramSet>();
  if (!set || !model.resource<GroupPlans>() || model.resource<FormulaDetail>()) return {};
  const Cut near{smallest_train(model, true)};
  const Cut far{smallest_train(model, false), static_cast<double>(TrainsPerMessage::of(model))};
  std::vector<std::optional<Expected>> of_program(set->programs.size());
  const std::size_t every = of_program.size() / most_programs + 1;
  Expected all;
  for (std::uint32_t gpu = 0; gpu < set->program_of_gpu.size(); ++gpu) {
    const std::uint32_t program = set->program_of_gpu[gpu];
    if (set->programs[program].ops.empty() || program % every != 0) continue;
    std::optional<Expected>& one = of_program[program];
    if (!one) one = work_of(sent_by(model, *set, EndpointId{gpu}, set->programs[program]), near, far);
    all.events += static_cast<double>(every) * one->events;
    all.work_s += static_cast<double>(every) * one->work_s;
  }
  // Then the state of all components is in no cache.
  all.work_s *= std::max(1.0, std::sqrt(static_cast<double>(set->program_of_gpu.size()) / gpus_in_cache));
  return all;
}

}  // namespace lightrail
