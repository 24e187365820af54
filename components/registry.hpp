#pragma once
#include "engine/model/registry.hpp"

namespace lightrail {

/// Every component kind of this source tree, by an explicit list.
KindRegistry built_in_kinds();

}  // namespace lightrail
