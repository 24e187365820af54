#include "workloads/collective/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "workloads/collective/ring.hpp"
#include "workloads/collective/tree_correction.hpp"

namespace lightrail {
namespace {

/// NCCL's NCCL_MAX_NVLS_ARITY (src/include/device.h).
constexpr std::uint32_t nvls_most_parts = 32;

/// NCCL 2.21 gathers and scatters parts in the NVSwitch only inside one operating system (src/enqueue.cc: one
/// node), not across the trays of a larger NVLink domain.
bool is_past_host(const GroupPlan& plan, CollectiveType type, Algorithm algorithm) {
  return algorithm == Algorithm::nvls && type != CollectiveType::all_reduce && plan.spans_hosts;
}

double seconds(SimTime time) {
  return static_cast<double>(time.count()) * 1e-12;
}

double bits_of(BitRate rate) {
  return static_cast<double>(rate.value);
}

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

/// NCCL counts more for rings of Simple over servers once every member and channel has 64 B.
double plateau(const NcclSettings& settings, const GroupPlan& plan, CollectiveType type, Protocol protocol,
               std::int64_t bytes) {
  const bool is_on = protocol == Protocol::simple && type == CollectiveType::all_reduce &&
                     plan.servers() > 1 &&
                     bytes / (std::int64_t{plan.channels} * settings.net_channels * plan.size()) >= 64;
  return is_on ? settings.ring_plateau : 1;
}

}  // namespace

double ring_scale(const NcclSettings& settings, const GroupPlan& plan, CollectiveType type, Protocol protocol,
                  std::int64_t bytes) {
  if (type != CollectiveType::all_reduce || protocol != Protocol::simple || plan.servers() == 1) return 1;
  return plateau(settings, plan, type, protocol, bytes) / (plan.device ? settings.ring_plateau : 1);
}

namespace {

/// A step over the network, with what the adapter's plugin reports: in Simple once more for the flush.
double net_seconds(const GroupPlan& plan, Protocol protocol, SimTime hop) {
  return seconds(hop + (protocol == Protocol::simple ? 2 : 1) * plan.plugin.latency);
}

double ring_seconds(const NcclSettings& settings, const GroupPlan& plan, CollectiveType type,
                    Protocol protocol, std::int64_t bytes) {
  const std::uint32_t n = plan.size(), servers = plan.servers();
  // A broadcast streams through all members: as many steps of latency, once over the bandwidth.
  const bool is_stream = type == CollectiveType::broadcast;
  const double steps = ring_steps(type, n);
  const double inter = servers == 1                         ? 0
                       : type == CollectiveType::all_reduce ? std::min(steps, 2.0 * servers)
                       : is_stream                          ? std::min(steps, 1.0 * servers)
                                                            : servers - 1;
  const Medium local = plan.has_nvlink ? Medium::nvlink : Medium::pci;
  // Over servers no step is shorter than what the proxy thread takes for it: in Simple three posts.
  const SimTime post =
      servers == 1 ? SimTime{0} : (protocol == Protocol::simple ? 3 : 1) * settings.net_overhead;
  const double latency = (seconds(settings.base(protocol)) +
                          (steps - inter) * seconds(std::max(settings.hop(protocol, local), post)) +
                          inter * net_seconds(plan, protocol, settings.hop(protocol, Medium::net))) *
                         plateau(settings, plan, type, protocol, bytes);
  double bits = bits_of(plan.local_rate);
  if (servers > 1) {
    const double rails = bits_of(plan.net_rate) * plan.channels;
    bits = plan.size() == servers ? rails : std::min(bits, rails);
  }
  bits *= settings.efficiency(protocol);
  if (protocol == Protocol::ll) bits = std::min(bits, ll_max(settings, plan));
  if (protocol == Protocol::ll128) bits = std::min(bits, ll128_max(plan));
  if (bits <= 0) return latency;
  const double passes = is_stream ? 1 : steps / n;
  return latency + static_cast<double>(bytes) * 8 * passes / bits;
}

/// What the rails carry of a reduction and broadcast on two trees over servers.
double tree_rails(const GroupPlan& plan) {
  return bits_of(plan.net_rate) * plan.channels * (plan.servers() == 2 ? 1 : 0.5);
}

double tree_seconds(const NcclSettings& settings, const GroupPlan& plan, Protocol protocol,
                    std::int64_t bytes) {
  const std::uint32_t servers = plan.servers();
  const double chain = static_cast<double>(plan.size()) / servers - 1;
  const double latency =
      seconds(settings.tree_base(protocol)) +
      2 * (chain * seconds(settings.tree_hop(protocol, plan.has_nvlink ? Medium::nvlink : Medium::pci)) +
           std::log2(servers) * net_seconds(plan, protocol, settings.tree_hop(protocol, Medium::net)));
  // What links carry: every byte goes up and down.
  double bits = bits_of(plan.local_rate);
  if (servers > 1)
    bits = plan.size() == servers ? 2 * tree_rails(plan) : std::min(bits, 2 * tree_rails(plan));
  bits *= settings.tree_efficiency;
  if (protocol == Protocol::ll) bits = std::min(bits / 3.8, ll_max(settings, plan));
  if (protocol == Protocol::ll128)
    bits = std::min(bits * (servers == 1 ? 7.0 / 9 : 120.0 / 128), ll128_max(plan));
  bits *= 0.5 * tree_correction_of(protocol, bytes);
  return bits <= 0 ? latency : latency + static_cast<double>(bytes) * 8 / bits;
}

double nvls_seconds(const NcclSettings& settings, const GroupPlan& plan, CollectiveType type,
                    std::int64_t bytes) {
  const double levels = std::log2(plan.servers());
  const double latency =
      seconds(settings.nvls) + 2 * levels * net_seconds(plan, Protocol::simple, settings.nvls_tree_net);
  return latency + static_cast<double>(bytes) * 8 / nvls_rate(plan, type);
}

}  // namespace

double nvls_rate(const GroupPlan& plan, CollectiveType type) {
  const double n = plan.members_of(0);
  double bits = bits_of(plan.local_rate) * plan.nvls_efficiency;
  // What is gathered comes in as the whole buffer, what is reduced leaves as it; an all-reduce adds the own
  // part's way back.
  if (type == CollectiveType::all_reduce) bits *= n / (n + 1);
  return plan.servers() > 1 ? std::min(bits, tree_rails(plan)) : bits;
}

double collective_seconds(const NcclSettings& settings, const GroupPlan& plan, CollectiveType type,
                          Algorithm algorithm, Protocol protocol, std::int64_t bytes) {
  switch (algorithm) {
    case Algorithm::tree:
      return tree_seconds(settings, plan, protocol, bytes);
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
      return nvls_seconds(settings, plan, type, bytes);
    default:
      return ring_seconds(settings, plan, type, protocol, bytes);
  }
}

const std::vector<Algorithm>& algorithms_of(CollectiveType type) {
  static const std::vector<Algorithm> reduce{Algorithm::ring,      Algorithm::tree,    Algorithm::nvls,
                                             Algorithm::nvls_tree, Algorithm::collnet, Algorithm::full_mesh},
      parts{Algorithm::ring, Algorithm::nvls, Algorithm::pat, Algorithm::full_mesh},
      broadcast{Algorithm::ring, Algorithm::full_mesh},
      pairs{Algorithm::direct,    Algorithm::pairwise, Algorithm::hierarchical,
            Algorithm::full_mesh, Algorithm::deepep,   Algorithm::deepep_low_latency},
      none;
  switch (type) {
    case CollectiveType::all_reduce:
      return reduce;
    case CollectiveType::all_gather:
    case CollectiveType::reduce_scatter:
      return parts;
    case CollectiveType::broadcast:
      return broadcast;
    case CollectiveType::all_to_all:
      return pairs;
    default:
      return none;
  }
}

bool is_exchange(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::pat:
    case Algorithm::pairwise:
    case Algorithm::hierarchical:
    case Algorithm::full_mesh:
    case Algorithm::deepep:
    case Algorithm::deepep_low_latency:
      return true;
    default:
      return false;
  }
}

bool is_by_name(Algorithm algorithm) {
  return is_exchange(algorithm) || algorithm == Algorithm::collnet;
}

bool is_simulated(CollectiveType type, Algorithm algorithm) {
  const auto& all = algorithms_of(type);
  return algorithm == Algorithm::auto_select || std::find(all.begin(), all.end(), algorithm) != all.end();
}

std::string obstacle(const GroupPlan& plan, CollectiveType type, Algorithm algorithm) {
  if (algorithm == Algorithm::collnet && plan.collnet_efficiency == 0)
    return "needs the same number of GPUs of each server, a NIC each, and one switch a rail that reduces "
           "(sharp-efficiency)";
  if (algorithm == Algorithm::pat && plan.size() != plan.servers())
    return "needs one GPU of each server, as NCCL's does";
  if ((algorithm == Algorithm::hierarchical || algorithm == Algorithm::deepep) && !plan.is_even())
    return "needs the same number of GPUs of each server";
  if (algorithm != Algorithm::nvls && algorithm != Algorithm::nvls_tree) return "";
  if (plan.nvls_efficiency == 0)
    return "needs GPUs behind NVSwitches that reduce and multicast (nvls-efficiency)";
  if (!plan.is_even() || plan.members_of(0) < 2)
    return "needs two or more GPUs of each server, the same number of each";
  const bool is_sum = type == CollectiveType::all_reduce;
  if (is_sum && plan.members_of(0) > 127) return "takes at most 127 GPUs of a server";
  if (!is_sum && plan.servers() > 1)
    return "is for one server where parts are gathered or scattered, as NCCL's";
  if (!is_sum && plan.size() > nvls_most_parts)
    return fmt::format("takes at most {} GPUs where parts are gathered or scattered, as NCCL's",
                       nvls_most_parts);
  if ((algorithm == Algorithm::nvls) != (plan.servers() == 1))
    return algorithm == Algorithm::nvls ? "is for one server (nvls-tree for several)"
                                        : "is for several servers (nvls for one)";
  return "";
}

Choice choose(const NcclSettings& settings, const GroupPlan& plan, const Op& op) {
  Choice choice;
  const Protocol usual = settings.protocol == Protocol::auto_select && plan.plugin.is_simple_only
                             ? Protocol::simple
                             : settings.protocol;
  const Protocol wanted = op.protocol != Protocol::auto_select ? op.protocol : usual;
  Algorithm only = op.algorithm;
  if (only == Algorithm::auto_select && is_simulated(op.collective, settings.algorithm) &&
      obstacle(plan, op.collective, settings.algorithm).empty())
    only = settings.algorithm;
  const bool is_all_to_all = op.collective == CollectiveType::all_to_all;
  if (is_all_to_all || op.collective == CollectiveType::barrier || is_by_name(only)) {
    choice.algorithm = is_all_to_all && only == Algorithm::auto_select ? Algorithm::direct : only;
    if (op.collective == CollectiveType::barrier) choice.algorithm = Algorithm::direct;
    // NCCL's trees for parts have only Simple.
    choice.protocol = only == Algorithm::pat || only == Algorithm::collnet ? Protocol::simple
                      : wanted != Protocol::auto_select                    ? wanted
                      : op.collective == CollectiveType::barrier
                          ? Protocol::ll
                          : settings.point_protocol(op.bytes / plan.size());
    return choice;
  }
  double best = -1;
  for (Algorithm algorithm : algorithms_of(op.collective)) {
    if (only != Algorithm::auto_select
            ? algorithm != only
            : is_by_name(algorithm) || is_past_host(plan, op.collective, algorithm) ||
                  !obstacle(plan, op.collective, algorithm).empty())
      continue;
    const bool is_nvls = algorithm == Algorithm::nvls || algorithm == Algorithm::nvls_tree;
    for (Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
      // NVLS has only Simple: asked for by name it takes any protocol, else another protocol excludes it.
      if (is_nvls && protocol != Protocol::simple) continue;
      const bool is_wanted =
          wanted == Protocol::auto_select || protocol == wanted || (is_nvls && only == algorithm);
      if (!is_wanted) continue;
      const double t = collective_seconds(settings, plan, op.collective, algorithm, protocol, op.bytes);
      if (best >= 0 && t >= best) continue;
      best = t;
      choice = {algorithm, protocol};
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
