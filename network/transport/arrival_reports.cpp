#include "network/transport/arrival_reports.hpp"

#include <algorithm>

#include "network/health/health_table.hpp"
#include "network/port/device_traits.hpp"
#include "network/transport/congestion_control.hpp"
#include "network/transport/dcqcn.hpp"
#include "network/transport/discards.hpp"
#include "network/transport/nic_returns.hpp"

namespace lightrail {

bool may_count_trains(const Model& model) {
  if (!model.resource<ToldByBatches>()) return false;
  const auto* health = model.resource<HealthTable>();
  const bool has_light_switches = std::any_of(model.specs.begin(), model.specs.end(), [](const auto& spec) {
    return role_of(*spec) == DeviceRole::optical_switch;
  });
  return !(health && health->has_outages()) && !has_light_switches && !restarts_jobs(model) &&
         !model.resource<NicReturns>() && !model.resource<CongestionControl>() && !model.resource<Dcqcn>();
}

}  // namespace lightrail
