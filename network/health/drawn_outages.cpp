#include "network/health/drawn_outages.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/base/error.hpp"
#include "engine/base/hash.hpp"
#include "engine/base/random.hpp"

namespace lightrail {
namespace {

constexpr std::uint32_t rate_purpose = 0x4e000000;
constexpr double ps_per_hour = 3.6e15;

}  // namespace

std::vector<Outage> draw_outages(const FaultRate& rate, std::uint64_t seed, const std::string& name,
                                 std::uint32_t rate_index) {
  LIGHTRAIL_EXPECT(rate.mtbf_hours > 0 && rate.repair > SimTime{0});
  // By name, not by number: another component must not change when this one fails.
  const std::uint64_t own_seed = hash_combine(seed, checksum(std::as_bytes(std::span(name))));
  Random draws(own_seed, ComponentId{rate_index}, rate_purpose);
  std::vector<Outage> all;
  for (SimTime works{};;) {
    const double gap = draws.exponential(rate.mtbf_hours * ps_per_hour);
    if (gap >= static_cast<double>((rate.until - works).count())) return all;
    const SimTime down = works + SimTime{std::max<std::int64_t>(1, std::llround(gap))};
    if (down >= rate.until) return all;
    works = rate.repair > time_never - down ? time_never : down + rate.repair;
    all.push_back({down, works});
    if (works >= rate.until) return all;
  }
}

double expected_outages(const FaultRate& rate) {
  if (rate.repair == time_never) return 1;
  const double turn = rate.mtbf_hours * ps_per_hour + static_cast<double>(rate.repair.count());
  return static_cast<double>(rate.until.count()) / turn + 1;
}

}  // namespace lightrail
