#include "workloads/collective/cost_model.hpp"

#include <algorithm>

#include "workloads/collective/ring.hpp"

namespace lightrail {
namespace {

double seconds(SimTime time) {
  return static_cast<double>(time.count()) * 1e-12;
}

}  // namespace

double ring_seconds(const NcclSettings& settings, const GroupPlan& plan, CollectiveType type,
                    Protocol protocol, std::int64_t bytes) {
  const std::uint32_t n = plan.size(), servers = plan.servers();
  // A broadcast streams through all members: as many steps of latency, once over the bandwidth.
  const bool is_stream = type == CollectiveType::broadcast;
  const double steps = ring_steps(type, n);
  const double inter =
      servers == 1 ? 0 : std::min(steps, type == CollectiveType::all_reduce ? 2.0 * servers : servers);
  const Medium local = plan.has_nvlink ? Medium::nvlink : Medium::pci;
  double latency = seconds(settings.base(protocol)) +
                   (steps - inter) * seconds(settings.hop(protocol, local)) +
                   inter * seconds(settings.hop(protocol, Medium::net));
  auto bits = static_cast<double>(plan.local_rate.value);
  if (servers > 1) {
    const double rails = static_cast<double>(plan.net_rate.value) * plan.channels;
    bits = plan.size() == servers ? rails : std::min(bits, rails);
  }
  bits *= settings.efficiency(protocol);
  if (protocol == Protocol::ll) bits = std::min(bits, static_cast<double>(settings.ll_max_rate.value));
  if (bits <= 0) return latency;
  const double passes = is_stream ? 1 : steps / n;
  return latency + static_cast<double>(bytes) * 8 * passes / bits;
}

bool is_simulated(CollectiveType type, Algorithm algorithm) {
  if (algorithm == Algorithm::auto_select) return true;
  if (type == CollectiveType::barrier) return false;
  return algorithm == (type == CollectiveType::all_to_all ? Algorithm::direct : Algorithm::ring);
}

Choice choose(const NcclSettings& settings, const GroupPlan& plan, const Op& op) {
  Choice choice;
  if (op.collective == CollectiveType::all_to_all || op.collective == CollectiveType::barrier)
    choice.algorithm = Algorithm::direct;
  choice.protocol = op.protocol != Protocol::auto_select ? op.protocol : settings.protocol;
  if (choice.protocol != Protocol::auto_select) return choice;
  if (op.collective == CollectiveType::barrier) {
    choice.protocol = Protocol::ll;
  } else if (op.collective == CollectiveType::all_to_all) {
    choice.protocol = settings.point_protocol(op.bytes / plan.size());
  } else {
    double best = 0;
    for (Protocol p : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
      double t = ring_seconds(settings, plan, op.collective, p, op.bytes);
      if (p != Protocol::ll && t >= best) continue;
      best = t;
      choice.protocol = p;
    }
  }
  return choice;
}

std::uint32_t ring_channels(const NcclSettings& settings, const GroupPlan& plan, Protocol protocol,
                            std::int64_t bytes) {
  const std::int64_t wanted = bytes / settings.bytes_per_channel(protocol, plan.size());
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(wanted, 1, plan.channels));
}

}  // namespace lightrail
