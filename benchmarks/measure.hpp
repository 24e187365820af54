#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/partition/partition.hpp"
#include "engine/sync/simulation.hpp"

namespace lightrail::bench {

/// Table in which a benchmark's own components record packet-hops; rows of link_use count as bytes / 4 KiB.
inline constexpr TableId packet_hops_table = 1000;

/// One run of a model on all ranks.
struct Measured {
  RunResult result;
  double core_s = 0;             ///< processor time of all ranks in run() [s]
  std::int64_t packet_hops = 0;  ///< of all ranks; 0: the model has none
  std::int64_t grown_bytes = 0;  ///< most resident memory above what it was before components were built [B]
};

Measured measure(const Model& model, Engine engine, SimTime stop_at = time_never);

/// Prints the results of one run on rank 0: NAME_ENGINE with the rate of packet-hops, or of events where
/// there are none; NAME_ENGINE_events, _wall (the rate per second of wall time), _bytes (a pending event's
/// share of grown memory), _memory.
void print(const std::string& name, Engine engine, const Measured& m);

/// On rank 0: NAME_events, the rate per second of processor time, NAME_bytes and NAME_memory of one run.
void print_costs(const std::string& name, const Measured& m);

/// The names on a command line: of workloads (fattree), of cases (fattree_8192_packet) or of results
/// (fattree_8192_packet_window). None: all.
class Wanted {
 public:
  Wanted(int argc, char** argv) : names_(argv + 1, argv + argc) {}
  [[nodiscard]] bool has(const std::string& result) const;

 private:
  std::vector<std::string> names_;
};

/// Measures and prints the engines that are wanted (on one rank; else only the window engine) and their
/// ratio. False when their hashes differ.
bool compare(const std::string& name, const Wanted& wanted, const Model& model, SimTime stop_at = time_never);

/// The main function of a benchmark: `compare_all` says whether all engines agreed. An exception's text is
/// printed and ends all ranks with exit code 2.
int main_of(int argc, char** argv, bool (*compare_all)(const Wanted&));

}  // namespace lightrail::bench
