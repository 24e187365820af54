#include "network/transport/acknowledged_pacing.hpp"

#include "network/transport/dctcp_rates.hpp"
#include "network/transport/nscc_windows.hpp"
#include "network/transport/timely_rates.hpp"

namespace lightrail {

std::unique_ptr<AcknowledgedPacing> acknowledged_pacing(const Model& model, const PacedLine& line,
                                                        const RepairSender& sender) {
  if (const auto* nscc = model.resource<Nscc>())
    return std::make_unique<NsccWindows>(nscc->spec, line.rate, line.mtu_bytes, line.train_bytes, sender);
  if (const auto* dctcp = model.resource<Dctcp>())
    return std::make_unique<DctcpRates>(dctcp->spec, line.rate, sender);
  if (const auto* timely = model.resource<Timely>())
    return std::make_unique<TimelyRates>(timely->spec, line.rate, sender);
  return nullptr;
}

}  // namespace lightrail
