#pragma once
#include <cstdint>
#include <vector>

#include "links/cable.hpp"
#include "links/optical/light_budget.hpp"

namespace lightrail {

/// CableTable::cable_of_class of links that are no cables: control links.
inline constexpr std::uint32_t no_cable = 0xffffffff;

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
