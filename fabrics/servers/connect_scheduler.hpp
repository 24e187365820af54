#pragma once
#include "fabrics/system/system_builder.hpp"

namespace lightrail {

/// Adds the scheduler of an inference job, with the parameters of <scheduler> where there is one, and joins
/// it to every GPU and every gateway.
void connect_scheduler(const Element& root, SystemBuilder& builder);

}  // namespace lightrail
