#pragma once
#include <algorithm>

#include "engine/model/model.hpp"
#include "network/port/device_traits.hpp"

namespace lightrail {

/// Whether the system has a device of that role.
[[nodiscard]] inline bool has_device(const Model& model, DeviceRole role) {
  return std::any_of(model.specs.begin(), model.specs.end(),
                     [&](const auto& spec) { return role_of(*spec) == role; });
}

}  // namespace lightrail
