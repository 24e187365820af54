#pragma once
#include "engine/scenario/merge_entry.hpp"

namespace lightrail {

/// What tells children of one name apart that may stand in one element: the <link>, <gemm> and <price>.
[[nodiscard]] ChildIdentities child_identities();

}  // namespace lightrail
