#include "components/controller/phase_schedule.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "components/controller/matching.hpp"
#include "engine/base/transfer_time.hpp"
#include "engine/base/wide.hpp"
#include "network/wire/region_control.hpp"

namespace lightrail {
namespace {

/// One port of every server for a permutation, or for a share of one.
struct Layer {
  const Permutation* permutation = nullptr;
  std::int64_t weight = 0;
};

/// Circuits of some layers and the weight of each pair in them.
struct Layers {
  CircuitCounts circuits;
  std::vector<std::int64_t> weight;
};

/// Permutations that have anything to carry, heaviest first.
std::vector<Permutation> permutations_of(const DemandMatrix& demand, std::size_t most) {
  const std::uint32_t n = demand.servers;
  std::vector<std::int64_t> even = demand.bytes;
  for (std::uint32_t a = 0; a < n; ++a) even[std::size_t{a} * n + a] = 0;  // needs no circuit
  fill_up(n, even);
  std::vector<Permutation> parts = birkhoff(n, std::move(even), most);
  std::erase_if(parts, [&](const Permutation& part) {
    for (std::uint32_t a = 0; a < n; ++a)
      if (part.to[a] != a && demand.at(a, part.to[a]) > 0) return false;
    return true;
  });
  return parts;
}

/// At most `slots` layers of the heaviest, `ports` of them for one permutation: the next one goes to the
/// permutation whose layers carry most.
std::vector<Layer> layers_of(std::span<const Permutation> parts, std::size_t slots, std::uint32_t ports) {
  parts = parts.first(std::min(parts.size(), slots));
  std::vector<std::uint32_t> count(parts.size(), 1);
  for (std::size_t used = parts.size(); used < slots; ++used) {
    std::size_t most = parts.size();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (count[i] == ports) continue;
      if (most == parts.size() || Wide{parts[most].weight} * count[i] < Wide{parts[i].weight} * count[most])
        most = i;
    }
    if (most == parts.size()) break;
    ++count[most];
  }
  std::vector<Layer> layers;
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::uint32_t k = 0; k < count[i]; ++k)
      layers.push_back({&parts[i], std::max(parts[i].weight / count[i], std::int64_t{1})});
  std::stable_sort(layers.begin(), layers.end(),
                   [](const Layer& x, const Layer& y) { return x.weight > y.weight; });
  return layers;
}

/// The circuits of layers first ... last - 1, as far as ports go.
Layers together(const std::vector<Layer>& layers, std::size_t first, std::size_t last,
                const DemandMatrix& demand, const Ports& ports) {
  const std::uint32_t n = demand.servers;
  Layers all{CircuitCounts(n), std::vector<std::int64_t>(std::size_t{n} * n, 0)};
  Ports can_send = ports, can_hear = ports;
  for (std::size_t i = first; i < last; ++i)
    for (std::uint32_t a = 0; a < n; ++a) {
      const std::uint32_t b = layers[i].permutation->to[a];
      if (a == b || demand.at(a, b) == 0 || can_send[a] == 0 || can_hear[b] == 0) continue;
      --can_send[a], --can_hear[b];
      all.circuits.add_one_way(a, b);
      all.weight[std::size_t{a} * n + b] += layers[i].weight;
    }
  return all;
}

/// Cuts every pair's bytes at the rounded running sums of its weights: what it sends adds up exactly.
void share_out(const DemandMatrix& demand, const std::vector<Layers>& layers, PhaseSchedule& phases) {
  for (std::size_t pair = 0; pair < demand.bytes.size(); ++pair) {
    Wide sum = 0, so_far = 0;
    for (const Layers& phase : layers) sum += phase.weight[pair];
    std::int64_t low = 0;
    for (std::size_t p = 0; p < layers.size() && sum > 0; ++p) {
      so_far += layers[p].weight[pair];
      const auto high = static_cast<std::int64_t>(demand.bytes[pair] * so_far / sum);
      phases[p].bytes.bytes[pair] = high - low;
      low = high;
    }
  }
}

PhaseSchedule schedule(const DemandMatrix& demand, const Ports& ports, std::uint32_t most,
                       const std::vector<Layer>& layers) {
  std::vector<Layers> all;
  for (std::size_t first = 0; first < layers.size(); first += most) {
    Layers next = together(layers, first, std::min(layers.size(), first + most), demand, ports);
    if (next.circuits == CircuitCounts(demand.servers)) continue;
    if (all.empty() || all.back().circuits != next.circuits) {
      all.push_back(std::move(next));
      continue;
    }
    for (std::size_t pair = 0; pair < next.weight.size(); ++pair)
      all.back().weight[pair] += next.weight[pair];
  }
  PhaseSchedule phases;
  for (const Layers& phase : all) phases.push_back({phase.circuits, DemandMatrix(demand.servers)});
  share_out(demand, all, phases);
  return phases;
}

}  // namespace

std::vector<PhaseSchedule> schedules(const DemandMatrix& demand, const Ports& ports,
                                     std::uint32_t max_phases) {
  const std::uint32_t most = ports.empty() ? 0 : *std::max_element(ports.begin(), ports.end());
  const std::vector<Permutation> parts = permutations_of(demand, std::size_t{max_phases} * most);
  std::vector<PhaseSchedule> all;
  for (std::uint32_t phases = 1; phases <= max_phases; ++phases)
    all.push_back(schedule(demand, ports, most, layers_of(parts, std::size_t{phases} * most, most)));
  return all;
}

PhaseSchedule shortest(const std::vector<PhaseSchedule>& all, const DemandMatrix& demand) {
  const PhaseSchedule* best = nullptr;
  std::int64_t best_left = 0, best_time = 0;
  for (const PhaseSchedule& phases : all) {
    const DemandMatrix rest = left_over(demand, phases);
    const std::int64_t left = std::accumulate(rest.bytes.begin(), rest.bytes.end(), std::int64_t{0});
    // Rounding up adds a byte a phase.
    auto time = static_cast<std::int64_t>(phases.size());
    for (const CircuitPhase& phase : phases) time += longest(phase);
    if (best && (left > best_left || (left == best_left && time >= best_time))) continue;
    best = &phases, best_left = left, best_time = time;
  }
  return best ? *best : PhaseSchedule{};
}

std::int64_t longest(const CircuitPhase& phase) {
  std::int64_t most = 0;
  for (std::size_t pair = 0; pair < phase.bytes.bytes.size(); ++pair)
    if (const std::int64_t count = phase.circuits.count[pair]; count > 0)
      most = std::max(most, (phase.bytes.bytes[pair] + count - 1) / count);
  return most;
}

SimTime duration(const CircuitPhase& phase, BitRate rate) {
  return transfer_time(Bytes{longest(phase)}, rate);
}

std::uint32_t later_part(const PhaseSchedule& phases, std::size_t phase, std::uint32_t from,
                         std::uint32_t to) {
  Wide all = 0, later = 0;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    all += phases[p].bytes.at(from, to);
    if (p > phase) later += phases[p].bytes.at(from, to);
  }
  return all == 0 ? 0 : static_cast<std::uint32_t>(later * region_control::Share::whole / all);
}

namespace {

/// What the busiest server sends or gets [B].
std::int64_t busiest(const DemandMatrix& demand) {
  std::int64_t most = 0;
  for (std::uint32_t a = 0; a < demand.servers; ++a) {
    std::int64_t out = 0, in = 0;
    for (std::uint32_t b = 0; b < demand.servers; ++b)
      if (a != b) out += demand.at(a, b), in += demand.at(b, a);
    most = std::max({most, out, in});
  }
  return most;
}

}  // namespace

std::uint32_t part_beside(const DemandMatrix& demand, const PhaseSchedule& phases, BitRate circuit,
                          BitRate packet, SimTime changes) {
  const DemandMatrix rest = left_over(demand, phases);
  DemandMatrix joined = demand;
  for (std::size_t pair = 0; pair < rest.bytes.size(); ++pair) joined.bytes[pair] -= rest.bytes[pair];
  SimTime on_circuits{0};
  for (const CircuitPhase& phase : phases) on_circuits += duration(phase, circuit);
  // rest + part x joined = (1 - part) x on_circuits + changes
  const SimTime on_packets = transfer_time(Bytes{busiest(joined)}, packet),
                free = on_circuits + changes - transfer_time(Bytes{busiest(rest)}, packet),
                both = on_circuits + on_packets;
  if (free <= SimTime{0}) return 0;
  return static_cast<std::uint32_t>(std::min(
      Wide{region_control::Share::whole}, Wide{free.count()} * region_control::Share::whole / both.count()));
}

void take_off(PhaseSchedule& phases, std::uint32_t part) {
  for (CircuitPhase& phase : phases)
    for (std::int64_t& bytes : phase.bytes.bytes)
      bytes -= static_cast<std::int64_t>(Wide{bytes} * part / region_control::Share::whole);
}

DemandMatrix left_over(const DemandMatrix& demand, const PhaseSchedule& phases) {
  DemandMatrix rest = demand;
  for (const CircuitPhase& phase : phases)
    for (std::size_t pair = 0; pair < rest.bytes.size(); ++pair) rest.bytes[pair] -= phase.bytes.bytes[pair];
  return rest;
}

}  // namespace lightrail
