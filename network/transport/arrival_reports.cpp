#include "network/transport/arrival_reports.hpp"

#include "network/health/health_table.hpp"
#include "network/transport/congestion_control.hpp"
#include "network/transport/dcqcn.hpp"
#include "network/transport/discards.hpp"
#include "network/transport/nic_returns.hpp"

namespace lightrail {

bool may_count_trains(const Model& model) {
  const auto* health = model.resource<HealthTable>();
  return model.resource<ToldByBatches>() && !(health && health->has_outages()) && !restarts_jobs(model) &&
         !model.resource<NicReturns>() && !model.resource<CongestionControl>() && !model.resource<Dcqcn>();
}

}  // namespace lightrail
