#include "components/registry.hpp"

#include "components/controller/controller.hpp"
#include "components/controller/rail_controller.hpp"
#include "components/ethernet-switch/ethernet_switch.hpp"
#include "components/gateway/gateway.hpp"
#include "components/gpu/gpu.hpp"
#include "components/host/host.hpp"
#include "components/nic/nic.hpp"
#include "components/nvswitch/nvswitch.hpp"
#include "components/ocs/ocs.hpp"
#include "components/scheduler/scheduler.hpp"
#include "components/storage/storage.hpp"
#include "components/switch/switch.hpp"

namespace lightrail {

KindRegistry built_in_kinds(const RoutingRegistry& routings) {
  KindRegistry kinds;
  for (const auto& kind : {gpu_kind(), nvswitch_kind(), nic_kind(), switch_kind(routings), ocs_kind(),
                           controller_kind(), rail_controller_kind(), host_kind(), storage_kind(),
                           scheduler_kind(), gateway_kind(), ethernet_switch_kind(routings)})
    kinds.add(kind);
  return kinds;
}

}  // namespace lightrail
