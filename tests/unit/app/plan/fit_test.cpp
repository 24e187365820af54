#include "app/plan/fit.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "workloads/generate/training/training_memory.hpp"
#include "workloads/generate/training/training_plan.hpp"

using namespace lightrail;

namespace {

Element workload() {
  Element element;
  element.name = "workload";
  for (const auto& [name, value] :
       PlanAttributes{{"kind", "training"}, {"global-batch", "64"}, {"sequence", "1024"}, {"host", "none"}})
    element.set(name, value);
  return element;
}

Transformer small() {
  Transformer model;
  model.layers = 8, model.hidden = 1024, model.heads = 8, model.kv_heads = 8, model.head_dim = 128;
  model.ffn = 4096, model.vocabulary = 32'000;
  return model;
}

PlanFit fit(const PlanAttributes& plan) {
  return fit_plan(with_plan(workload(), plan), small(), 16, built_in_algorithms());
}

}  // namespace

TEST_CASE("a plan needs what the memory's estimate says of its fullest stage") {
  const Element element = with_plan(workload(), {{"tp", "2"}, {"pp", "4"}, {"recompute", "selective"}});
  TrainingPlan plan;
  ErrorList errors;
  read_training_plan(element, small(), 16, built_in_algorithms(), plan, errors);
  REQUIRE(errors.is_empty());
  const PlanFit found = fit_plan(element, small(), 16, built_in_algorithms());
  CHECK(found.refused.empty());
  std::int64_t most = 0;
  for (std::uint32_t stage = 0; stage < 4; ++stage)
    most = std::max(most, training_memory(small(), plan, stage).total());
  CHECK(found.memory_bytes == most);
}

TEST_CASE("what the GPUs, the batch or the model rule out is refused with the reason") {
  CHECK(fit({{"tp", "3"}}).refused.find("does not divide") != std::string::npos);
  CHECK_FALSE(fit({{"ep", "2"}}).refused.empty());
  CHECK_FALSE(fit({{"pp", "4"}, {"schedule", "dualpipe"}, {"micro-batch", "8"}}).refused.empty());
}

TEST_CASE("recomputation and bubbles make a plan roughly slower") {
  CHECK(fit({}).rough == 1);
  CHECK(fit({{"recompute", "full"}}).rough == Approx(4.0 / 3));
  // 4 stages, dp 4: 16 micro-batches of a sequence.
  CHECK(fit({{"pp", "4"}}).rough == Approx(1 + 3.0 / 16));
  CHECK(fit({{"pp", "4"}, {"chunks", "2"}}).rough == Approx(1 + 3.0 / 32));
  CHECK(fit({{"pp", "4"}, {"schedule", "zb-h1"}}).rough == Approx(1 + 1.0 / 16));
}

TEST_CASE("a plan's attributes take the place of the workload's") {
  const Element changed = with_plan(workload(), {{"sequence", "2048"}, {"tp", "2"}});
  CHECK(changed.find("sequence")->value == "2048");
  CHECK(changed.find("tp")->value == "2");
  CHECK(changed.attributes.size() == workload().attributes.size() + 1);
}
