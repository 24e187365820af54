#include "components/gpu/execution/batch_queue.hpp"

#include <cstdint>

namespace lightrail {

BatchQueue::BatchQueue(const ServingPlan& plan, const ProgramSet& set, std::uint32_t program,
                       const ComputeSpec& spec)
    : plan_(plan),
      set_(set),
      spec_(spec),
      rules_(plan.programs[program]),
      units_(set.programs[program]),
      program_(set.programs[program]),
      costs_(set.shapes.size()) {}

void BatchQueue::take(const serving_control::Prefill& prompts) {
  next_.prefill_tokens = prompts.tokens;
  next_.twice_prefill_keys = prompts.twice_keys;
  next_.prefill_sequences = prompts.sequences;
}

void BatchQueue::take(const serving_control::Decode& decode) {
  next_.decode_sequences = decode.sequences;
  next_.decode_keys = decode.keys;
  next_.logits = decode.logits;
}

bool BatchQueue::take(const serving_control::Go& go) {
  next_.number = go.number;
  batches_.push_back(next_);
  next_ = {};
  if (batches_.size() > 1) return false;
  apply();
  return true;
}

std::uint32_t BatchQueue::end() {
  const std::uint32_t number = batches_.front().number;
  batches_.erase(batches_.begin());
  if (is_busy()) apply();
  return number;
}

void BatchQueue::apply() {
  costs_.assign(costs_.size(), KernelCost{SimTime{-1}});
  for (std::size_t i = 0; i < program_.ops.size(); ++i)
    program_.ops[i].bytes = units_.ops[i].bytes * units_of(rules_.unit_of_op[i], rules_, batches_.front());
}

KernelCost BatchQueue::cost_of(std::uint32_t shape) {
  KernelCost& cost = costs_[shape];
  if (cost.time < SimTime{0}) {
    const KernelShape kernel =
        sized(set_.shapes[shape], plan_.unit_of_shape[shape], rules_, batches_.front());
    cost = is_empty(kernel) ? KernelCost{} : kernel_cost(spec_, kernel, Load::lasting);
  }
  return cost;
}

void BatchQueue::save(StateWriter& out) const {
  out.put(batches_), out.put(next_);
}

void BatchQueue::load(StateReader& in) {
  in.get(batches_), in.get(next_);
  if (is_busy()) apply();
}

}  // namespace lightrail
