#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/explain/explanation.hpp"

namespace lightrail {

/// An attribute of the resolved scenario, or a software version, that two runs have in common or not.
struct InputDifference {
  std::string what;           ///< "scenario/workload@tp"; of the n-th sibling of a name "server[1]"
  std::string before, after;  ///< "(absent)" where a run lacks it
};

/// A part of the steps of two runs.
struct PartDifference {
  std::string label;                   ///< ExposedSummary::label()
  double before_ps = 0, after_ps = 0;  ///< average of a GPU
  [[nodiscard]] double change_ps() const { return after_ps - before_ps; }
};

/// Two runs compared. The changes of the parts add up to the change of a GPU's average time.
struct Difference {
  std::string before, after;  ///< files
  StepTime step_before, step_after;
  std::vector<PartDifference> parts;            ///< the largest change first
  std::vector<InputDifference> inputs;          ///< in the order of what
  std::vector<Remark> only_before, only_after;  ///< what only one of them rests on
};

/// Every attribute that a resolved scenario has in one text and not, or otherwise, in the other. Both as
/// /run/scenario holds them: an element a line.
[[nodiscard]] std::vector<InputDifference> scenario_differences(const std::string& before,
                                                                const std::string& after);

/// Throws InputErrors as read_explanation() for either.
[[nodiscard]] Difference read_difference(const std::string& before, const std::string& after);

/// For people.
[[nodiscard]] std::string to_text(const Difference& all);
/// For scripts.
[[nodiscard]] std::string to_json(const Difference& all);

}  // namespace lightrail
