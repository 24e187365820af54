#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/model/declared_parameter.hpp"
#include "engine/scenario/element.hpp"
#include "workloads/goodput/goodput_plan.hpp"
#include "workloads/goodput/goodput_spec.hpp"

namespace lightrail {

/// How a job fails.
struct FailureRates {
  std::vector<FailureCategory> categories;  ///< without their detection
  std::vector<FoundBy> found_by;            ///< by category
  std::uint32_t gpus_per_node = FailureRatesSpec{}.gpus_per_node;
};

/// Reads <failure-rates>, for a job of that many GPUs: as many servers as they fill fail at the rates of its
/// categories. Declares its values. Mistakes go to `errors`: no category, two of one name, an unknown one in
/// `without`.
[[nodiscard]] FailureRates read_failure_rates(const Element& element, std::uint32_t gpus,
                                              std::vector<DeclaredParameter>& parameters, ErrorList& errors);

}  // namespace lightrail
