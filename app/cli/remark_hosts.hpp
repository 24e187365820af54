#pragma once
#include "engine/model/model.hpp"

namespace lightrail {

/// Where a job's launches take time: what of it is guessed, by every kind of <host> that launches, and that
/// processes without bound cores change nothing where a <host> knows of no difference. Nothing for a job
/// whose launches take no time.
[[nodiscard]] ModelPart remark_hosts(const Model& model);

}  // namespace lightrail
