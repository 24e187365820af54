#pragma once
#include "engine/base/time.hpp"

namespace lightrail {

/// Who sends gives a busy line further trains for so long ahead (`<network send-ahead>`). A resource of the
/// model.
struct SendAhead {
  SimTime time{};
};

}  // namespace lightrail
