#include "components/controller/b_matching.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "components/controller/matching.hpp"

namespace lightrail {
namespace {

/// Trails are searched as far as there are at most this many of them.
constexpr double max_trails = 3e5;

CircuitCounts successive_matchings(const DemandMatrix& demand, const Ports& ports) {
  const std::uint32_t n = demand.servers;
  CircuitCounts circuits(n);
  Ports free = ports;
  const std::uint32_t rounds = ports.empty() ? 0 : *std::max_element(ports.begin(), ports.end());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    std::vector<std::int64_t> weight(std::size_t{n} * n, 0);
    for (std::uint32_t a = 0; a < n; ++a)
      for (std::uint32_t b = 0; b < n; ++b)
        if (a != b && free[a] > 0 && free[b] > 0)
          weight[std::size_t{a} * n + b] = demand.pair(a, b) / (circuits.at(a, b) + 1);
    const std::vector<std::uint32_t> partner = maximum_weight_matching(n, weight);
    for (std::uint32_t a = 0; a < n; ++a)
      if (partner[a] != no_partner && a < partner[a])
        circuits.add(a, partner[a]), --free[a], --free[partner[a]];
  }
  return circuits;
}

/// Looks for the alternating trail that gains most, by trying all of a length.
class TrailSearch {
 public:
  TrailSearch(const DemandMatrix& demand, const Ports& ports, CircuitCounts& circuits)
      : demand_(demand), ports_(ports), circuits_(circuits), used_(demand.servers) {
    for (std::uint32_t a = 0; a < demand.servers; ++a) used_[a] = circuits.degree(a);
  }

  /// Walks the best trail of `length` steps; false: none gains.
  bool improve(std::uint32_t length) {
    best_.clear();
    best_gain_ = 0;
    for (std::uint32_t start = 0; start < demand_.servers; ++start)
      for (const bool adds : {true, false}) {
        trail_.assign(1, start);
        search(adds, adds, length, 0);
      }
    bool adds = best_adds_;
    for (std::size_t i = 0; i + 1 < best_.size(); ++i, adds = !adds) step(best_[i], best_[i + 1], adds);
    return !best_.empty();
  }

 private:
  void step(std::uint32_t a, std::uint32_t b, bool adds) {
    const std::uint32_t change = adds ? 1u : ~0u;
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}})
      circuits_.count[std::size_t{from} * demand_.servers + to] += change, used_[from] += change;
  }

  void search(bool first_adds, bool adds, std::uint32_t steps, std::int64_t gain) {
    const std::uint32_t start = trail_.front(), at = trail_.back();
    if (steps == 0) {
      if (gain <= best_gain_ || used_[start] > ports_[start] || used_[at] > ports_[at]) return;
      best_gain_ = gain, best_ = trail_, best_adds_ = first_adds;
      return;
    }
    for (std::uint32_t next = 0; next < demand_.servers; ++next) {
      if (next == at) continue;
      const std::uint32_t has = circuits_.at(at, next);
      const std::int64_t worth = adds  ? demand_.pair(at, next) / (has + 1)
                                 : has ? -(demand_.pair(at, next) / has)
                                       : 0;
      if (adds ? worth == 0 : has == 0) continue;
      step(at, next, adds);
      trail_.push_back(next);
      search(first_adds, !adds, steps - 1, gain + worth);
      trail_.pop_back();
      step(at, next, !adds);
    }
  }

  const DemandMatrix& demand_;
  const Ports& ports_;
  CircuitCounts& circuits_;
  Ports used_;
  std::vector<std::uint32_t> trail_, best_;
  std::int64_t best_gain_ = 0;
  bool best_adds_ = false;
};

}  // namespace

std::int64_t matching_weight(const DemandMatrix& demand, const CircuitCounts& circuits) {
  std::int64_t sum = 0;
  for (std::uint32_t a = 0; a < demand.servers; ++a)
    for (std::uint32_t b = a + 1; b < demand.servers; ++b)
      for (std::uint32_t k = 1; k <= circuits.at(a, b); ++k) sum += demand.pair(a, b) / k;
  return sum;
}

CircuitCounts b_matching(const DemandMatrix& demand, const Ports& ports) {
  CircuitCounts circuits = successive_matchings(demand, ports);
  TrailSearch trails(demand, ports, circuits);
  const double n = demand.servers;
  double count = n;
  for (std::uint32_t length = 1; length <= 2 * demand.servers && (count *= n) <= max_trails;)
    if (trails.improve(length))
      length = 1, count = n;
    else
      ++length;
  return circuits;
}

}  // namespace lightrail
