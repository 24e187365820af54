#pragma once
#include "app/cli/read_formula.hpp"
#include "engine/model/model.hpp"

namespace lightrail {

/// A model whose GPUs meet, for what `formula` names, as those of a formula_model() do for everything: groups
/// inside a server in a meeting of that server, all other GPUs that groups join, directly or by others, in
/// one of their own. Throws InputErrors where too many would meet.
[[nodiscard]] Model with_meetings(const Model& built, const PartialFormula& formula);

}  // namespace lightrail
