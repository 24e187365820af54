#include <cstdint>
#include <utility>
#include <vector>

#include "workloads/generate/training/stage_writer.hpp"
#include "workloads/job/operation_names.hpp"

namespace lightrail {

void StageWriter::reduce_gradients(std::int64_t dense, std::int64_t expert, bool is_aside) {
  CollectiveType type =
      plan_.distributed_optimizer ? CollectiveType::reduce_scatter : CollectiveType::all_reduce;
  std::vector<std::uint32_t> main = waits_;
  auto element = static_cast<std::int64_t>(bytes_of(plan_.gradients));
  auto reduce = [&](GroupKindId group, std::int64_t parameters, std::int64_t members) {
    if (!group.is_valid() || parameters == 0) return;
    collective(type, group, "dp", padded_to(parameters, members) * element,
               static_cast<std::uint32_t>(element));
    if (is_aside) aside_.push_back(waits_[0]);
  };
  reduce(groups_.dp, dense, plan_.gradient_gpus());
  reduce(groups_.expert_dp, expert, plan_.expert_dp());
  if (is_aside) waits_ = main;
}

void StageWriter::sum_partial_gradients() {
  const std::int64_t parameters = partial_gradients(plan_, trained_parameters(model_, plan_, stage_));
  if (parameters == 0) return;
  wait_for_gradients();
  const auto element = bytes_of(plan_.gradients);
  collective(CollectiveType::all_reduce, groups_.tp, "tp", parameters * element, element);
}

void StageWriter::wait_for_gradients() {
  waits_.insert(waits_.end(), aside_.begin(), aside_.end());
  aside_.clear();
}

void StageWriter::reduce_shared_embedding() {
  if (plan_.is_frozen()) return;
  std::int64_t elements = padded_vocabulary(model_, plan_) / tp_ * hidden_;
  if (plan_.shards_parameters) elements = padded_to(elements, plan_.shard_gpus()) / plan_.shard_gpus();
  auto element = bytes_of(plan_.gradients);
  collective(CollectiveType::all_reduce, groups_.embedding, "dp", elements * element, element);
}

void StageWriter::gather_parameters(std::int64_t dense, std::int64_t expert) {
  std::vector<std::uint32_t> made;
  auto gather = [&](GroupKindId group, std::int64_t parameters, std::int64_t members) {
    if (!group.is_valid() || parameters == 0) return;
    made.push_back(beside(
        collective_op(CollectiveType::all_gather, group, "dp", 2 * padded_to(parameters, members)), waits_));
  };
  gather(plan_.shards_parameters ? groups_.shard : groups_.dp, dense,
         plan_.shards_parameters ? plan_.shard_gpus() : plan_.gradient_gpus());
  gather(plan_.shards_parameters ? groups_.expert_shard : groups_.expert_dp, expert,
         plan_.expert_shard_gpus());
  gathered_.push_back(std::move(made));
}

void StageWriter::wait_for_parameters() {
  waits_.insert(waits_.end(), gathered_.front().begin(), gathered_.front().end());
  gathered_.pop_front();
}

void StageWriter::scatter_gradients(std::int64_t dense, std::int64_t expert) {
  const auto element = static_cast<std::int64_t>(bytes_of(plan_.gradients));
  std::vector<std::uint32_t> after = waits_;
  auto reduce = [&](CollectiveType type, GroupKindId group, std::int64_t elements) {
    if (!group.is_valid() || elements == 0) return;
    after = {beside(collective_op(type, group, "dp", elements * element, static_cast<std::uint32_t>(element)),
                    after)};
    aside_.push_back(after[0]);
  };
  const std::int64_t whole = padded_to(dense, plan_.gradient_gpus());
  reduce(CollectiveType::reduce_scatter, groups_.shard, whole);
  reduce(CollectiveType::all_reduce, groups_.replica, whole / plan_.shard_gpus());
  const std::int64_t experts = padded_to(expert, plan_.expert_dp());
  reduce(CollectiveType::reduce_scatter, groups_.expert_shard, experts);
  reduce(CollectiveType::all_reduce, groups_.replica, experts / plan_.expert_shard_gpus());
}

/// Parameters whose state a GPU has.
std::int64_t StageWriter::updated_parameters() const {
  const StageParameters p = trained_parameters(model_, plan_, stage_);
  if (!plan_.distributed_optimizer) return p.dense() + p.expert();
  const std::int64_t members = plan_.shards_parameters ? plan_.shard_gpus() : plan_.gradient_gpus();
  const std::int64_t experts = plan_.expert_shard_gpus();
  return padded_to(p.dense(), members) / members + padded_to(p.expert(), experts) / experts;
}

std::int64_t StageWriter::optimizer_bytes() const {
  return plan_.optimizer_bytes() * updated_parameters();
}

void StageWriter::optimizer_step() {
  wait_for_gradients();
  StageParameters p = trained_parameters(model_, plan_, stage_);
  bool is_split = plan_.distributed_optimizer;
  const std::int64_t members = plan_.shards_parameters ? plan_.shard_gpus() : plan_.gradient_gpus();
  const std::int64_t expert_members = plan_.expert_shard_gpus();
  std::int64_t dense = padded_to(p.dense(), members), expert = padded_to(p.expert(), expert_members);
  const std::int64_t mine = updated_parameters();
  if (plan_.offloads_optimizer) wait_for(optimizer_);
  const std::int64_t gradient = bytes_of(plan_.gradients);
  if (is_separate()) {
    // To FP32, where they are not; unscaled and checked; their norm; clipped.
    const std::int64_t cast = gradient == 4 ? 0 : gradient + 4;
    reads_back_ = true;  // whether all is finite
    memory("unscale and clip", mine * (cast + 8 + 4 + 8));
    wait_for_kept();
    memory("optimizer", mine * (4 + 2 * plan_.optimizer_bytes()));
    memory("copy parameters", mine * (4 + 2));
  } else {
    // The norm of all gradients, for clipping. Adam: gradient, FP32 copy and two moments read; copy, moments
    // and 2-byte parameters written.
    reads_back_ = true;
    memory("gradient norm", mine * gradient);
    wait_for_kept();
    memory("optimizer", mine * (gradient + 2 * plan_.optimizer_bytes() + 2));
  }
  offload_optimizer();
  if (is_split && !plan_.overlap_parameters && !plan_.shards_parameters) {
    collective(CollectiveType::all_gather, groups_.dp, "dp", 2 * dense);
    if (expert > 0) collective(CollectiveType::all_gather, groups_.expert_dp, "dp", 2 * expert);
  }
  memory("zero gradients",
         (plan_.shards_parameters ? mine : p.dense() + p.expert()) * bytes_of(plan_.gradients));
}

}  // namespace lightrail
