#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lightrail {

/// Bytes that servers of one region have for each other: bytes[from * servers + to].
struct DemandMatrix {
  std::uint32_t servers = 0;
  std::vector<std::int64_t> bytes;

  explicit DemandMatrix(std::uint32_t n = 0) : servers(n), bytes(std::size_t{n} * n) {}
  std::int64_t& at(std::uint32_t from, std::uint32_t to) { return bytes[std::size_t{from} * servers + to]; }
  [[nodiscard]] std::int64_t at(std::uint32_t from, std::uint32_t to) const {
    return bytes[std::size_t{from} * servers + to];
  }
  /// What both directions of a circuit between the two would carry.
  [[nodiscard]] std::int64_t pair(std::uint32_t a, std::uint32_t b) const { return at(a, b) + at(b, a); }
  bool operator==(const DemandMatrix&) const = default;
};

/// Circuits from server to server: count[from * servers + to]. Those that carry both directions count in
/// both.
struct CircuitCounts {
  std::uint32_t servers = 0;
  std::vector<std::uint32_t> count;

  explicit CircuitCounts(std::uint32_t n = 0) : servers(n), count(std::size_t{n} * n) {}
  [[nodiscard]] std::uint32_t at(std::uint32_t a, std::uint32_t b) const {
    return count[std::size_t{a} * servers + b];
  }
  void add(std::uint32_t a, std::uint32_t b) {
    ++count[std::size_t{a} * servers + b], ++count[std::size_t{b} * servers + a];
  }
  void add_one_way(std::uint32_t from, std::uint32_t to) { ++count[std::size_t{from} * servers + to]; }
  [[nodiscard]] std::uint32_t degree(std::uint32_t a) const;
  [[nodiscard]] std::uint32_t total() const;
  bool operator==(const CircuitCounts&) const = default;
};

enum class Assignment : std::uint8_t {
  greedy,            ///< MixNet's, as its authors' code reads
  greedy_printed,    ///< MixNet's, as printed: stops at the first bottleneck pair without free ports
  matching,          ///< maximum-weight b-matching (b_matching.hpp)
  birkhoff,          ///< Birkhoff-von-Neumann: the permutations of the demand that weigh most
  uniform,           ///< the same number for every pair, as far as the ports go; the demand is not asked
  topoopt,           ///< connected first, then by demand, once for all
  birkhoff_schedule  ///< Birkhoff-von-Neumann in time: phases of one-way circuits (phase_schedule.hpp)
};

/// Those that give an exchange one set of circuits.
[[nodiscard]] std::vector<std::pair<std::string, Assignment>> assignment_choices();

/// Ports that each server has for circuits.
using Ports = std::vector<std::uint32_t>;

/// Circuits for a demand with the ports that each server has. Deterministic: of equal demands greedy serves
/// the pair with more free ports first, then that of the lower numbers.
[[nodiscard]] CircuitCounts assign_circuits(Assignment algorithm, const DemandMatrix& demand,
                                            const Ports& ports);
/// ... with as many of each.
[[nodiscard]] CircuitCounts assign_circuits(Assignment algorithm, const DemandMatrix& demand,
                                            std::uint32_t ports);

/// Time that the demand would take over the circuits [bytes a circuit]: the largest of bytes / circuits over
/// pairs, where pairs without circuit share `rest` circuits' worth of the packet fabric for each server.
[[nodiscard]] double completion(const DemandMatrix& demand, const CircuitCounts& circuits, double rest);

}  // namespace lightrail
