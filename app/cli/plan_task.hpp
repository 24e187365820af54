#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "app/cli/command_line.hpp"
#include "app/registry/registry.hpp"
#include "engine/model/network_cost.hpp"
#include "engine/scenario/read_scenario.hpp"
#include "workloads/generate/training/training_plan.hpp"
#include "workloads/generate/training/transformer.hpp"

namespace lightrail {

/// The cluster and the model, apart from how the one is spread over the other.
struct PlanTask {
  ReadScenario scenario;
  Transformer model;
  TrainingPlan own;
  std::uint32_t gpus = 0, domain = 0;
  std::int64_t memory_bytes = 0;       ///< of the smallest GPU
  Flops peak{};                        ///< of one GPU, in the products' type
  std::optional<NetworkCost> network;  ///< none: the scenario has no prices
  /// Micro-batches that repeat each other may be stepped over: no faults, no checkpoints, no drifting gate.
  bool steps_over = false;

  [[nodiscard]] const Element& workload() const { return *scenario.root.child("workload"); }
  [[nodiscard]] double tokens() const {
    return static_cast<double>(own.global_batch) * static_cast<double>(own.sequence);
  }
};

/// What the element says of itself, or what is usual.
[[nodiscard]] std::string value_or(const Element& element, const char* attribute, const char* usual);

/// Reads the scenario of the line with its settings. Throws InputErrors where it has no job of training that
/// can be spread.
[[nodiscard]] PlanTask read_plan_task(const CommandLine& line, const Registry& registry);

}  // namespace lightrail
