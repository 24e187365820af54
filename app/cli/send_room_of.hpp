#pragma once
#include "engine/model/model.hpp"
#include "workloads/collective/send_room.hpp"

namespace lightrail {

/// The least of all GPUs' and NICs' of a model.
[[nodiscard]] SendRoom send_room_of(const Model& model);

}  // namespace lightrail
