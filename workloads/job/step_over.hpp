#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/scenario/element.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// What of a job is simulated once: micro-batches of a steady pipeline (training alone), iterations.
enum class StepOver : std::uint8_t { none, pipeline, iterations, both };

/// As the attribute step-over has them.
[[nodiscard]] const std::vector<std::pair<std::string, StepOver>>& step_over_names();
inline constexpr const char* step_over_doc =
    "iterations: those between the first ones and the last, which repeat each other, are counted in for one "
    "that is simulated; pipeline (of training): micro-batches between filling and draining the pipeline "
    "likewise";

[[nodiscard]] constexpr bool has_pipeline(StepOver what) {
  return what == StepOver::pipeline || what == StepOver::both;
}
[[nodiscard]] constexpr bool has_iterations(StepOver what) {
  return what == StepOver::iterations || what == StepOver::both;
}
/// Of a <workload>, without complaints: none where it does not say, or says something else.
[[nodiscard]] StepOver step_over_of(const Element& workload);

/// Checks the attributes step-over and settling-iterations of a <workload> and takes what of them is about
/// iterations: `programs` executes as many iterations less as are stepped over.
void step_over_iterations(const Element& workload, bool is_training, ProgramSet& programs, ErrorList& errors);

/// A sentence for the result; "" where nothing of it is asked for.
[[nodiscard]] std::string stepped_iterations_note(const Element& workload, const ProgramSet& programs);

}  // namespace lightrail
