#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lightrail {

/// Attributes of a training <workload>, name and value: one way to spread and run a model.
using PlanAttributes = std::vector<std::pair<std::string, std::string>>;

/// What decides which ways there are.
struct PlanSpace {
  std::uint32_t gpus = 1;    ///< of the job
  std::uint32_t domain = 8;  ///< GPUs that NVLink joins: the most of tensor parallelism
  std::int64_t layers = 1, experts = 0, sequence = 4096;
  std::uint32_t cp = 1;  ///< the scenario's own, tried besides 1
  /// The scenario's own recompute and recompute-modules, tried besides none, selective and full.
  std::string recompute = "none", modules = "none";
  bool edges_count = false;  ///< the scenario's own: plans say off, since they spread layers themselves
};

/// Every combination of tp, cp (above 16,384 tokens all), ep, etp, micro-batch of powers of two, pp of every
/// divisor of the GPUs, chunks of powers of two up to 8 and up to 16 where parts are equal (or all but the
/// ends), recompute, schedule and shard-parameters that the numbers of GPUs, layers and experts do not rule
/// out at once, in a fixed order; all have the same attributes in the same order. Layers that do not divide
/// are spread as evenly as can be, the first and last parts shorter.
[[nodiscard]] std::vector<PlanAttributes> plan_candidates(const PlanSpace& space);

/// stage-layers of so many parts: "even", or "1x11 6x12 1x11".
[[nodiscard]] std::string even_layers(std::int64_t layers, std::int64_t parts);

/// What there is to say of a plan: its sizes, and what differs from the attribute's usual value.
[[nodiscard]] PlanAttributes told(const PlanAttributes& plan);

/// "tp=4 pp=2 chunks=4 micro-batch=1 recompute=selective": the same as a text.
[[nodiscard]] std::string plan_text(const PlanAttributes& plan);

}  // namespace lightrail
