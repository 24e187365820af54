#include "app/plan/estimate.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace lightrail {
namespace {

const std::string& value_of(const PlanAttributes& plan, const char* name) {
  return std::find_if(plan.begin(), plan.end(), [&](const auto& a) { return a.first == name; })->second;
}

/// The attributes that a small job takes over.
constexpr std::array cut_names{
    "tp", "cp", "ep", "etp", "micro-batch", "recompute", "recompute-modules", "shard-parameters"};

/// DualPipe runs a forward and a backward pass beside each other's exchange of tokens.
bool overlaps_experts(const PlanAttributes& plan) {
  return value_of(plan, "schedule") == "dualpipe" && value_of(plan, "ep") != "1";
}

}  // namespace

PlanShape shape_of(const TrainingPlan& plan, const Transformer& model) {
  PlanShape shape;
  shape.micro_batches = plan.micro_batches();
  // ZB-H1 leaves a third of 1F1B's bubble, DualPipe about a half.
  const double left = plan.schedule == Schedule::zb_h1 ? 1.0 / 3 : plan.is_bidirectional() ? 0.5 : 1;
  shape.bubble = left * (plan.pp - 1) / plan.chunks;
  const std::int64_t parts = static_cast<std::int64_t>(plan.pp) * plan.chunks;
  std::vector<std::int64_t> layers(plan.pp);
  for (std::int64_t part = 0; part < parts; ++part)
    layers[static_cast<std::size_t>(part % plan.pp)] +=
        plan.stage_layers.empty() ? model.layers / parts : plan.stage_layers[static_cast<std::size_t>(part)];
  shape.most_layers = *std::max_element(layers.begin(), layers.end());
  shape.last_layers = static_cast<double>(layers.back());
  // DualPipe's GPUs with the last stage have the first one too, each for half of the micro-batches.
  if (plan.is_bidirectional())
    shape.last_layers = static_cast<double>(layers.front() + layers.back()) / 2, shape.edges = 0.5;
  return shape;
}

UnitJobs unit_jobs_of(const Transformer& model) {
  const std::int64_t period =
      std::lcm(std::max<std::int64_t>(model.expert_every, 1), std::max<std::int64_t>(model.full_every, 1));
  UnitJobs jobs{{model.dense_layers + period, model.dense_layers + 2 * period}};
  if (model.pattern != "none" || jobs.layers[1] > model.layers) jobs.layers = {model.layers, model.layers};
  return jobs;
}

UnitTimes unit_times(const UnitJobs& jobs, const UnitSteps& steps) {
  const auto first = static_cast<double>(UnitJobs::micro_batches[0]);
  const auto more = static_cast<double>(UnitJobs::micro_batches[1]) - first;
  std::array<double, 2> pass{}, once{};
  for (std::size_t i : {0u, 1u}) {
    pass[i] = static_cast<double>(steps[i][1] - steps[i][0]) / more;
    once[i] = static_cast<double>(steps[i][0]) - first * pass[i];
  }
  const auto layers = static_cast<double>(jobs.layers[0]);
  if (jobs.layers[0] == jobs.layers[1]) return {pass[0] / layers, 0, once[0] / layers, 0};
  const double between = static_cast<double>(jobs.layers[1]) - layers;
  UnitTimes times;
  times.layer = (pass[1] - pass[0]) / between;
  times.edges = pass[0] - layers * times.layer;
  times.layer_once = (once[1] - once[0]) / between;
  times.once = once[0] - layers * times.layer_once;
  return times;
}

std::string unit_of(const PlanAttributes& plan) {
  std::string text = overlaps_experts(plan) ? "overlap" : "";
  for (const char* name : cut_names) text += " " + value_of(plan, name);
  return text;
}

PlanAttributes unit_plan(const PlanAttributes& plan, std::uint32_t gpus, std::int64_t micro_batches) {
  PlanAttributes unit{{"pp", "1"}, {"chunks", "1"}, {"stage-layers", "even"}, {"schedule", "1f1b"}};
  for (const char* name : cut_names) unit.emplace_back(name, value_of(plan, name));
  if (overlaps_experts(plan)) unit.emplace_back("overlap-experts", "on");
  const std::int64_t replicas = gpus / (std::stoll(value_of(plan, "tp")) * std::stoll(value_of(plan, "cp")));
  unit.emplace_back("global-batch",
                    std::to_string(replicas * std::stoll(value_of(plan, "micro-batch")) * micro_batches));
  return unit;
}

double estimated_step(const PlanShape& shape, const UnitTimes& times) {
  const auto most = static_cast<double>(shape.most_layers);
  const double pass =
      std::max(most * times.layer, shape.last_layers * times.layer + shape.edges * times.edges);
  return (static_cast<double>(shape.micro_batches) + shape.bubble) * pass + most * times.layer_once +
         times.once;
}

}  // namespace lightrail
