#include "workloads/collective/algorithm.hpp"

#include <algorithm>

namespace lightrail {

std::optional<std::string> CollectiveAlgorithm::hindrance(const GroupPlan&, const Op&) const {
  return std::nullopt;
}

std::optional<std::string> CollectiveAlgorithm::obstacle(const GroupPlan& plan, const Op& op) const {
  if (plan.stands_for > 1 && !serves_folded(op.collective))
    return "cannot run where members stand for others (fold)";
  return hindrance(plan, op);
}

std::optional<double> CollectiveAlgorithm::cost(const NcclSettings&, const GroupPlan&, const Op&,
                                                Protocol) const {
  return std::nullopt;
}

std::vector<const char*> CollectiveAlgorithm::borrowed(const GroupPlan&, const NcclDevice*) const {
  return {};
}

std::uint32_t CollectiveAlgorithm::sms(const GroupPlan&) const {
  return 0;
}

TokenBuffers CollectiveAlgorithm::token_buffers() const {
  return TokenBuffers::by_sender;
}

BitRate CollectiveAlgorithm::receive_rate(const GroupPlan& plan, EndpointId self, const Op& op,
                                          Protocol protocol) const {
  const std::uint32_t n = plan.size(), here = plan.members_of(plan.server_of(plan.index_of(self)));
  const auto local = static_cast<double>(plan.local_rate.value),
             rail = static_cast<double>(plan.net_rate.value);
  const double buffer = 8.0 * static_cast<double>(op.bytes);
  const double start = 1e-12 * static_cast<double>(start_delay(plan, op, protocol).count());
  double most = local;
  if (plan.servers() > 1) {
    // Rings bring what passes the server's rails past every member; an all-to-all's shares come from outside
    // but for the server's own.
    most = rail * (op.collective == CollectiveType::all_to_all ? static_cast<double>(n) / (n - here) : here);
    if (here > 1 && local > 0) most = std::min(most, local);
  }
  const double bits = buffer * (op.collective == CollectiveType::all_reduce ? 2 : 1);
  if (most == 0) return BitRate{0};
  return BitRate{static_cast<std::int64_t>(bits / (bits / most + start))};
}

}  // namespace lightrail
