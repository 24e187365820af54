#pragma once
#include <cstdint>
#include <memory>

#include "engine/model/kind.hpp"
#include "network/port/device_traits.hpp"
#include "tests/support/test_model.hpp"

namespace lightrail::test {

/// A kind of component that is never built: what stages that look at a model see of it.
[[nodiscard]] inline std::shared_ptr<const ComponentKind> kind_named(const char* name, bool can_fail) {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = name;
  kind->can_fail = can_fail;
  return kind;
}

/// The Spec of a device of which the role alone matters.
template <DeviceRole device_role>
struct RoleSpec final : Spec, DeviceTraits {
  [[nodiscard]] DeviceRole role() const override { return device_role; }
};
/// Of a NIC with two ports to its fabric.
struct TwoPortNic final : Spec, DeviceTraits {
  [[nodiscard]] DeviceRole role() const override { return DeviceRole::nic; }
  [[nodiscard]] std::uint32_t fabric_ports() const override { return 2; }
};
/// Of one that joins GPUs by NVLink.
using NvswitchTraits = RoleSpec<DeviceRole::nvswitch>;

/// box0 - nic1 - leaf2, and nic3 on the same leaf: links 0, 1 (box), 2, 3 (nic1), 4, 5 (nic3), of 100 ns.
[[nodiscard]] inline Model two_nics_on_a_leaf() {
  TestModel made;
  const auto spec = std::make_shared<const Spec>();
  const auto nic = kind_named("nic", true);
  const ComponentId box = made.add(kind_named("box", false), spec), first = made.add(nic, spec),
                    leaf = made.add(kind_named("leaf", true), spec), second = made.add(nic, spec);
  made.connect(box, first, nanoseconds(100));
  made.connect(first, leaf, nanoseconds(100));
  made.connect(second, leaf, nanoseconds(100));
  return made.build();
}

}  // namespace lightrail::test
