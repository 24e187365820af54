#pragma once
#include <memory>

#include "engine/model/kind.hpp"
#include "network/port/device_traits.hpp"

namespace lightrail::test {

/// A kind of component that is never built: what stages that look at a model see of it.
[[nodiscard]] inline std::shared_ptr<const ComponentKind> kind_named(const char* name, bool can_fail) {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = name;
  kind->can_fail = can_fail;
  return kind;
}

/// The Spec of a device that joins GPUs by NVLink.
struct NvswitchTraits final : Spec, DeviceTraits {
  [[nodiscard]] DeviceRole role() const override { return DeviceRole::nvswitch; }
};

}  // namespace lightrail::test
