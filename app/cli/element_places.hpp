#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/registry/registry.hpp"

namespace lightrail {

using Places = std::map<std::string, std::vector<std::string>>;

/// Which elements may stand in which, by the outer one's name; one that holds nothing is not listed.
/// <include> and <source> may stand anywhere and are left out. For editors: what decides is who reads the
/// elements (engine/scenario/report_unread.hpp), and tests/unit/app/cli/check_schema.sh holds the two against
/// each other.
[[nodiscard]] Places element_places(const Registry& registry);

}  // namespace lightrail
