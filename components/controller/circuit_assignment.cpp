#include "components/controller/circuit_assignment.hpp"

#include <algorithm>
#include <numeric>

#include "components/controller/b_matching.hpp"
#include "components/controller/matching.hpp"
#include "engine/base/error.hpp"
#include "engine/base/wide.hpp"

namespace lightrail {
namespace {

struct Pair {
  std::uint32_t a = 0, b = 0;
};

std::vector<Pair> pairs_of(std::uint32_t servers) {
  std::vector<Pair> all;
  for (std::uint32_t a = 0; a < servers; ++a)
    for (std::uint32_t b = a + 1; b < servers; ++b) all.push_back({a, b});
  return all;
}

/// Bytes a circuit as a fraction, compared without rounding.
struct Share {
  std::int64_t bytes = 0;
  std::uint32_t circuits = 1;
  bool operator<(const Share& other) const {
    return static_cast<Wide>(bytes) * other.circuits < static_cast<Wide>(other.bytes) * circuits;
  }
};

std::uint32_t most(const Ports& ports) {
  return ports.empty() ? 0 : *std::max_element(ports.begin(), ports.end());
}

/// Takes the pair with the longest completion time again and again: bytes over circuits, over one for none.
CircuitCounts greedy_printed(const DemandMatrix& demand, const Ports& ports) {
  CircuitCounts circuits(demand.servers);
  Ports free = ports;
  const std::vector<Pair> pairs = pairs_of(demand.servers);
  for (;;) {
    const Pair* longest = nullptr;
    Share most;
    for (const Pair& p : pairs) {
      const Share share{demand.pair(p.a, p.b), std::max(circuits.at(p.a, p.b), 1u)};
      if (most < share) most = share, longest = &p;
    }
    if (!longest || free[longest->a] == 0 || free[longest->b] == 0) return circuits;
    circuits.add(longest->a, longest->b);
    --free[longest->a], --free[longest->b];
  }
}

/// Every pair's first circuit in the order of demand before any second one; pairs of a full server are passed
/// over; goes on while ports and demand are left. Of equal pairs the one with more free ports comes first:
/// else equal demands would leave the last server without a circuit.
CircuitCounts greedy(const DemandMatrix& demand, const Ports& ports) {
  CircuitCounts circuits(demand.servers);
  Ports free = ports;
  const std::vector<Pair> pairs = pairs_of(demand.servers);
  for (;;) {
    const Pair* next = nullptr;
    Share most;
    bool is_first = false;  // of its pair
    for (const Pair& p : pairs) {
      if (free[p.a] == 0 || free[p.b] == 0 || demand.pair(p.a, p.b) == 0) continue;
      const std::uint32_t has = circuits.at(p.a, p.b);
      const Share share{demand.pair(p.a, p.b), std::max(has, 1u)};
      if (is_first && has > 0) continue;
      const bool has_more_ports =
          next && !(share < most) && free[p.a] + free[p.b] > free[next->a] + free[next->b];
      if (!next || (!is_first && has == 0) || most < share || has_more_ports)
        next = &p, most = share, is_first = has == 0;
    }
    if (!next) return circuits;
    circuits.add(next->a, next->b);
    --free[next->a], --free[next->b];
  }
}

/// The symmetric demand, filled up to equal row sums and cut into permutations; the heaviest ones get ports.
/// A permutation of more than pairs (a cycle) takes circuits along its edges while ports are free.
CircuitCounts by_birkhoff(const DemandMatrix& demand, const Ports& ports) {
  const std::uint32_t n = demand.servers;
  CircuitCounts circuits(n);
  std::vector<std::int64_t> even(std::size_t{n} * n, 0);
  for (const Pair& p : pairs_of(n))
    even[std::size_t{p.a} * n + p.b] = even[std::size_t{p.b} * n + p.a] = demand.pair(p.a, p.b);
  fill_up(n, even);
  std::vector<Permutation> parts = birkhoff(n, std::move(even));
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Permutation& x, const Permutation& y) { return x.weight > y.weight; });
  Ports free = ports;
  for (const Permutation& part : parts)
    for (std::uint32_t a = 0; a < n; ++a) {
      const std::uint32_t b = part.to[a];
      const bool is_counted = part.to[b] == a && b < a;  // a pair's other half
      if (a == b || is_counted || demand.pair(a, b) == 0 || free[a] == 0 || free[b] == 0) continue;
      circuits.add(a, b);
      --free[a], --free[b];
    }
  return circuits;
}

/// Rounds of a tournament (circle method): every round pairs all servers, so the counts differ by one at
/// most.
CircuitCounts uniform(const DemandMatrix& demand, const Ports& ports) {
  const std::uint32_t n = demand.servers, even = n + n % 2;
  CircuitCounts circuits(n);
  if (n < 2) return circuits;
  Ports free = ports;
  for (std::uint32_t port = 0; port < most(ports); ++port) {
    const std::uint32_t round = port % (even - 1);
    const auto join = [&](std::uint32_t a, std::uint32_t b) {
      if (a < n && b < n && free[a] > 0 && free[b] > 0) circuits.add(a, b), --free[a], --free[b];
    };
    join(even - 1, round);
    for (std::uint32_t i = 1; i < even / 2; ++i)
      join((round + i) % (even - 1), (round + even - 1 - i) % (even - 1));
  }
  return circuits;
}

/// A ring keeps every server reachable; the other ports go by demand.
CircuitCounts topoopt(const DemandMatrix& demand, const Ports& ports) {
  const std::uint32_t n = demand.servers;
  CircuitCounts circuits(n);
  if (n < 2) return circuits;
  if (n == 2 || *std::min_element(ports.begin(), ports.end()) < 2) return greedy(demand, ports);
  for (std::uint32_t a = 0; a < n; ++a) circuits.add(a, (a + 1) % n);
  DemandMatrix rest = demand;
  for (std::uint32_t a = 0; a < n; ++a) {
    const std::uint32_t b = (a + 1) % n;
    rest.at(a, b) /= 2, rest.at(b, a) /= 2;  // the ring carries as much as one more circuit would
  }
  Ports left = ports;
  for (std::uint32_t& free : left) free -= 2;
  const CircuitCounts more = greedy(rest, left);
  for (std::size_t i = 0; i < circuits.count.size(); ++i) circuits.count[i] += more.count[i];
  return circuits;
}

}  // namespace

std::uint32_t CircuitCounts::degree(std::uint32_t a) const {
  return std::accumulate(count.begin() + std::ptrdiff_t{a} * servers,
                         count.begin() + (std::ptrdiff_t{a} + 1) * servers, 0u);
}

std::uint32_t CircuitCounts::total() const {
  return std::accumulate(count.begin(), count.end(), 0u) / 2;
}

std::vector<std::pair<std::string, Assignment>> assignment_choices() {
  return {{"greedy", Assignment::greedy},     {"greedy-printed", Assignment::greedy_printed},
          {"matching", Assignment::matching}, {"birkhoff", Assignment::birkhoff},
          {"uniform", Assignment::uniform},   {"topoopt", Assignment::topoopt}};
}

CircuitCounts assign_circuits(Assignment algorithm, const DemandMatrix& demand, const Ports& ports) {
  switch (algorithm) {
    case Assignment::greedy:
      return greedy(demand, ports);
    case Assignment::greedy_printed:
      return greedy_printed(demand, ports);
    case Assignment::matching:
      return b_matching(demand, ports);
    case Assignment::birkhoff:
      return by_birkhoff(demand, ports);
    case Assignment::uniform:
      return uniform(demand, ports);
    case Assignment::topoopt:
      return topoopt(demand, ports);
    case Assignment::birkhoff_schedule:
      break;
  }
  LIGHTRAIL_EXPECT(!"a schedule has more than one set of circuits");
  return CircuitCounts(demand.servers);
}

CircuitCounts assign_circuits(Assignment algorithm, const DemandMatrix& demand, std::uint32_t ports) {
  return assign_circuits(algorithm, demand, Ports(demand.servers, ports));
}

double completion(const DemandMatrix& demand, const CircuitCounts& circuits, double rest) {
  double longest = 0;
  for (std::uint32_t a = 0; a < demand.servers; ++a) {
    std::int64_t out = 0, in = 0;
    for (std::uint32_t b = 0; b < demand.servers; ++b) {
      if (a == b) continue;
      if (const std::uint32_t count = circuits.at(a, b); count > 0)
        longest = std::max(longest, static_cast<double>(demand.at(a, b)) / count);
      else
        out += demand.at(a, b);
      if (circuits.at(b, a) == 0) in += demand.at(b, a);
    }
    if (const std::int64_t most = std::max(out, in); most > 0)
      longest = std::max(longest, rest > 0 ? static_cast<double>(most) / rest : 1e300);
  }
  return longest;
}

}  // namespace lightrail
