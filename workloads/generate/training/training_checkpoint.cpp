#include "workloads/generate/training/training_checkpoint.hpp"

#include <fmt/format.h>

#include <string>

#include "workloads/generate/training/step_over_plan.hpp"
#include "workloads/generate/training/training_plan.hpp"
#include "workloads/program/restart_plan.hpp"

namespace lightrail {

Describe<TrainingCheckpoint> checkpoint_parameters() {
  Describe<TrainingCheckpoint> table;
  table.required("every", &TrainingCheckpoint::every, "steps from one save to the next", 1u, 65'535u)
      .choice("mode", &TrainingCheckpoint::mode,
              "the step waits until the state is written, until it is in host memory, or not at all: it goes "
              "to the memory of own and other hosts beside the next step",
              {{"synchronous", SaveMode::synchronous},
               {"asynchronous", SaveMode::asynchronous},
               {"peers", SaveMode::peers}})
      .field("restore", &TrainingCheckpoint::restores, "the first step begins with reading the state")
      .field("planning", &TrainingCheckpoint::planning, "of a save, before it writes", SimTime{0},
             milliseconds(3'600'000))
      .field("serialise-rate", &TrainingCheckpoint::serialise_rate,
             "of the process of one GPU, before it writes; 0: takes no time", BitRate{0},
             BitRate{1'000'000'000'000'000})
      .choice("async-checkpointer", &TrainingCheckpoint::checkpointer,
              "where an asynchronous save is planned and serialised (PyTorch's AsyncCheckpointerType): in a "
              "process of its own, or in a thread, which wants the interpreter that launches kernels",
              {{"process", AsyncCheckpointer::process}, {"thread", AsyncCheckpointer::thread}})
      .field("switch-interval", &TrainingCheckpoint::switch_interval,
             "in a thread: what it takes to get the interpreter back (CPython's sys.setswitchinterval, which "
             "is 5 ms by default)",
             SimTime{1'000'000}, milliseconds(1000))
      .field("copies", &TrainingCheckpoint::copies,
             "to peers: hosts that keep a GPU's state, its own among them; as many servers are a group", 2u,
             max_memory_copies)
      .field("storage-every", &TrainingCheckpoint::storage_every,
             "to peers: steps from one save to storage to the next, asynchronous ones; 0: there is none", 0u,
             65'535u)
      .field("piece", &TrainingCheckpoint::piece, "to peers: of the state, one message", Bytes{4096},
             Bytes{1ll << 40})
      .field("buffers", &TrainingCheckpoint::buffers,
             "to peers: of a piece each, in the memory of a GPU that receives", 1u, 65'535u)
      .choice("traffic", &TrainingCheckpoint::traffic,
              "to peers: pieces go while nothing else of the GPU sends to other servers, or at once",
              {{"idle", PeerTraffic::idle}, {"at-once", PeerTraffic::at_once}});
  describe_network(table, &TrainingCheckpoint::network);
  return table;
}

namespace {

/// What only one of the modes reads.
void check_mode(const Element& element, const TrainingCheckpoint& plan, bool counts_launches,
                ErrorList& errors) {
  const auto complain = [&](const char* attribute, const char* problem) {
    if (element.find(attribute))
      errors.add(
          element.error_at(attribute, fmt::format("<checkpoint> attribute '{}': {}", attribute, problem)));
  };
  if (!plan.is_to_peers())
    for (const char* attribute : {"copies", "storage-every", "piece", "buffers", "traffic"})
      complain(attribute, "has no effect without mode=\"peers\"");
  else if (plan.storage_every == 0)
    for (const char* attribute : {"planning", "serialise-rate", "async-checkpointer", "network"})
      complain(attribute, "has no effect with mode=\"peers\" without 'storage-every'");
  if (!plan.uses_threads()) {
    complain("switch-interval", "has no effect without async-checkpointer=\"thread\"");
    return;
  }
  if (plan.mode == SaveMode::synchronous)
    complain("async-checkpointer",
             "'thread' has no effect with mode=\"synchronous\", which training waits for");
  if (plan.planning == SimTime{0} && plan.serialise_rate.value == 0)
    complain("async-checkpointer", "'thread' has no effect without 'planning' or 'serialise-rate'");
  if (!counts_launches)
    complain("async-checkpointer",
             "'thread' slows the CPU that launches kernels, and launching takes no time here "
             "(host=\"launches\" of <workload>, 'launch' of <host>)");
}

}  // namespace

std::optional<TrainingCheckpoint> read_checkpoint(WorkloadContext& context, bool counts_launches) {
  const Element* found = storage_child(context, "checkpoint");
  if (!found) return std::nullopt;
  const Element& element = *found;
  TrainingCheckpoint plan;
  checkpoint_parameters().parse(element, plan, context.errors);
  plan.is_read_again = context.restarts;
  check_mode(element, plan, counts_launches, context.errors);
  if (plan.to_storage_every() > 0 || plan.restores)
    context.require_storage(element, "<checkpoint>", plan.network);
  if (context.hosts == 0)
    context.errors.add(element.error("<checkpoint> is staged in host memory, and the system has no <host>"));
  return plan;
}

std::int64_t staged_bytes(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage) {
  if (!plan.shards_parameters) return saved_bytes(model, plan, stage);
  const StageParameters p = trained_parameters(model, plan, stage);
  const std::int64_t dense = plan.shard_gpus(), expert = plan.expert_shard_gpus();
  return (2 + plan.optimizer_bytes()) *
         (padded_to(p.dense(), dense) / dense + padded_to(p.expert(), expert) / expert);
}

std::int64_t restored_bytes(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage) {
  if (plan.shards_parameters) return staged_bytes(model, plan, stage);
  const StageParameters p = trained_parameters(model, plan, stage);
  const std::int64_t dense = plan.distributed_optimizer ? plan.gradient_gpus() : 1;
  const std::int64_t expert = plan.distributed_optimizer ? plan.expert_dp() : 1;
  return 2 * (p.dense() + p.expert()) + plan.optimizer_bytes() * (padded_to(p.dense(), dense) / dense +
                                                                  padded_to(p.expert(), expert) / expert);
}

std::int64_t saved_bytes(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage) {
  const StageParameters p = trained_parameters(model, plan, stage);
  const std::int64_t dense = plan.gradient_gpus(), expert = plan.expert_dp();
  return (2 + plan.optimizer_bytes()) *
         (padded_to(p.dense(), dense) / dense + padded_to(p.expert(), expert) / expert);
}

}  // namespace lightrail
