#include "workloads/collective/cost_model.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/base/error.hpp"

namespace lightrail {
namespace {

/// What the operation or the settings ask for; adapters may leave Simple only.
Protocol wanted_protocol(const NcclSettings& settings, const GroupPlan& plan, const Op& op) {
  if (op.protocol != Protocol::auto_select) return op.protocol;
  const bool is_simple = settings.protocol == Protocol::auto_select && plan.plugin.is_simple_only;
  return is_simple ? Protocol::simple : settings.protocol;
}

/// auto_select: the cost decides.
Algorithm wanted_algorithm(const AlgorithmRegistry& algorithms, const NcclSettings& settings,
                           const GroupPlan& plan, const Op& op) {
  if (op.algorithm != Algorithm::auto_select || settings.algorithm == Algorithm::auto_select)
    return op.algorithm;
  const CollectiveAlgorithm& usual = algorithms[settings.algorithm];
  return usual.serves(op.collective) && !usual.obstacle(plan, op) ? settings.algorithm
                                                                  : Algorithm::auto_select;
}

/// Protocols that an algorithm may run with.
struct Candidates {
  std::array<Protocol, 3> all{};
  std::size_t count = 0;
  [[nodiscard]] const Protocol* begin() const { return all.data(); }
  [[nodiscard]] const Protocol* end() const { return all.data() + count; }
};

Candidates candidates(const CollectiveAlgorithm& algorithm, bool is_by_name, Protocol wanted,
                      const NcclSettings& settings, const GroupPlan& plan, const Op& op) {
  const bool is_open = wanted == Protocol::auto_select;
  switch (algorithm.protocol_rule()) {
    case ProtocolRule::by_cost:
      if (is_open && settings.ll128) return {{Protocol::ll, Protocol::ll128, Protocol::simple}, 3};
      if (is_open) return {{Protocol::ll, Protocol::simple}, 2};
      return {{wanted}, 1};
    case ProtocolRule::simple_only:
      if (is_open || is_by_name || wanted == Protocol::simple) return {{Protocol::simple}, 1};
      return {};
    case ProtocolRule::own:
      return {{algorithm.own_protocol()}, 1};
    case ProtocolRule::by_message:
      if (!is_open) return {{wanted}, 1};
      // A barrier's messages have no payload.
      return {
          {settings.point_protocol(op.collective == CollectiveType::barrier ? 0 : op.bytes / plan.size())},
          1};
  }
  return {};
}

}  // namespace

Choice choose(const AlgorithmRegistry& algorithms, const NcclSettings& settings, const GroupPlan& plan,
              const Op& op) {
  const Protocol protocol = wanted_protocol(settings, plan, op);
  const Algorithm only = wanted_algorithm(algorithms, settings, plan, op);
  if (only != Algorithm::auto_select) {
    const Candidates possible = candidates(algorithms[only], true, protocol, settings, plan, op);
    if (possible.count == 1) return {only, possible.all[0]};
  }
  Choice choice;
  double best = -1;
  auto offer = [&](Algorithm id) {
    for (Protocol candidate : candidates(algorithms[id], id == only, protocol, settings, plan, op)) {
      const std::optional<double> cost = algorithms[id].cost(settings, plan, op, candidate);
      if (!cost || (best >= 0 && *cost >= best)) continue;
      best = *cost;
      choice = {id, candidate};
    }
  };
  if (only != Algorithm::auto_select)
    offer(only);
  else
    for (Algorithm id : algorithms.serving(op.collective))
      if (!algorithms[id].obstacle(plan, op)) offer(id);
  LIGHTRAIL_EXPECT(choice.algorithm != Algorithm::auto_select);
  return choice;
}

double ring_plateau(const NcclSettings& settings, const GroupPlan& plan, CollectiveType type,
                    Protocol protocol, std::int64_t bytes) {
  const bool is_on = protocol == Protocol::simple && type == CollectiveType::all_reduce &&
                     plan.ring_servers() > 1 &&
                     bytes / (std::int64_t{plan.channels} * settings.net_channels * plan.ring_size()) >= 64;
  return is_on ? settings.ring_plateau : 1;
}

double ring_scale(const NcclSettings& settings, const GroupPlan& plan, CollectiveType type, Protocol protocol,
                  std::int64_t bytes) {
  if (type != CollectiveType::all_reduce || protocol != Protocol::simple || plan.ring_servers() == 1)
    return 1;
  return ring_plateau(settings, plan, type, protocol, bytes) / (plan.device ? settings.ring_plateau : 1);
}

std::uint32_t ring_channels(const NcclSettings& settings, const GroupPlan& plan, Protocol protocol,
                            std::int64_t bytes) {
  const std::int64_t wanted = bytes / settings.bytes_per_channel(protocol, plan.ring_size());
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(wanted, 1, plan.channels));
}

}  // namespace lightrail
