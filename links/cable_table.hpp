#pragma once
#include <vector>

#include "links/cable.hpp"
#include "links/optical/light_budget.hpp"

namespace lightrail {

/// Model resource: the cables that the link classes were evaluated from, with every effective parameter.
struct CableTable {
  std::vector<Cable> cables;
  std::vector<std::uint32_t> cable_of_class;  ///< by link class
};

/// Model resource: every distinct light path of the system, with its budget.
struct LightBudgets {
  std::vector<LightBudget> budgets;
};

}  // namespace lightrail
