#pragma once
#include "engine/model/model.hpp"

namespace lightrail {

/// Where a job's launches take time: what of it is guessed, by every kind of <host> that launches. Nothing
/// for a job whose launches take none.
[[nodiscard]] ModelPart remark_hosts(const Model& model);

}  // namespace lightrail
