#include "workloads/collective/cost_terms.hpp"

#include <algorithm>
#include <limits>

namespace lightrail {
namespace {

double ll_max(const NcclSettings& settings, const GroupPlan& plan) {
  if (!plan.device) return bits_of(settings.ll_max_rate);
  const NcclDevice& d = *plan.device;
  return bits_of(plan.servers() == 1   ? d.ll_max_rate
                 : plan.servers() == 2 ? d.ll_max_rate_2
                                       : d.ll_max_rate_4);
}

double ll128_max(const GroupPlan& plan) {
  return plan.device ? bits_of(plan.device->ll128_max_rate) : std::numeric_limits<double>::infinity();
}

}  // namespace

double seconds(SimTime time) {
  return static_cast<double>(time.count()) * 1e-12;
}

double bits_of(BitRate rate) {
  return static_cast<double>(rate.value);
}

double within_limits(double bits, const NcclSettings& settings, const GroupPlan& plan, Protocol protocol) {
  switch (protocol) {
    case Protocol::ll:
      return std::min(bits, ll_max(settings, plan));
    case Protocol::ll128:
      return std::min(bits, ll128_max(plan));
    case Protocol::simple:
    case Protocol::auto_select:
    case Protocol::bare:
      return bits;
  }
  return bits;
}

double within_tree_limits(double bits, const NcclSettings& settings, const GroupPlan& plan,
                          Protocol protocol) {
  if (protocol == Protocol::ll128 && plan.device && plan.servers() > 1) {
    const NcclDevice& d = *plan.device;
    const BitRate limit = plan.servers() == 2 ? d.ll128_tree_rate_2 : d.ll128_tree_rate_4;
    if (limit.value > 0) return std::min(bits, bits_of(limit));
  }
  return within_limits(bits, settings, plan, protocol);
}

double net_seconds(const GroupPlan& plan, Protocol protocol, SimTime hop) {
  return seconds(hop + (protocol == Protocol::simple ? 2 : 1) * plan.plugin.latency);
}

double tree_rails(const GroupPlan& plan) {
  return bits_of(plan.net_rate) * plan.channels * (plan.servers() == 2 ? 1 : 0.5);
}

double with_transfer(double latency, double bytes, double bits) {
  return bits <= 0 ? latency : latency + bytes * 8 / bits;
}

}  // namespace lightrail
