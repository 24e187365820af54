#include "workloads/generate/flows/flow_arrivals.hpp"

#include <cmath>

#include "engine/base/id.hpp"
#include "engine/base/random.hpp"

namespace lightrail {
namespace {

enum Purpose : std::uint32_t { gaps = 111, receivers, sizes_of };

/// Between two flows of a sender [ns].
double mean_gap_ns(const FlowTraffic& traffic, const SizeDistribution& sizes) {
  return sizes.mean_bytes() * 8e9 / (traffic.load * static_cast<double>(traffic.rate.value));
}

}  // namespace

double FlowTraffic::expected(const SizeDistribution& sizes) const {
  return static_cast<double>(duration.count()) / 1000 / mean_gap_ns(*this, sizes);
}

std::vector<FlowArrival> draw_flows(const FlowTraffic& traffic, const SizeDistribution& sizes,
                                    std::uint32_t from, std::uint64_t seed) {
  Random gap(seed, ComponentId{from}, gaps), receiver(seed, ComponentId{from}, receivers),
      size(seed, ComponentId{from}, sizes_of);
  const double mean_ns = mean_gap_ns(traffic, sizes);
  std::vector<FlowArrival> flows;
  for (SimTime at{};;) {
    // Whole nanoseconds hide the last bits of libm.
    at += nanoseconds(std::llround(gap.exponential(mean_ns)));
    if (at >= traffic.duration) return flows;
    const auto other = static_cast<std::uint32_t>(receiver.below(traffic.members - 1));
    flows.push_back({at, other + (other >= from ? 1 : 0), sizes.size_at(size.uniform())});
  }
}

}  // namespace lightrail
