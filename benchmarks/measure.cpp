#include "benchmarks/measure.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <span>

#include "engine/sync/crowd.hpp"
#include "network/port/tables.hpp"

namespace lightrail::bench {
namespace {

constexpr std::int64_t packet_bytes = 4096;

class HopCounter final : public Recorder {
 public:
  [[nodiscard]] SimTime interval() const override { return time_never; }
  void append(TableId table, ComponentId, SimTime, std::span<const std::int64_t> row) override {
    if (table == packet_hops_table) hops_ += row[0];
    if (table == tables::link_use) bytes_ += row[2];
  }
  void flush(SimTime) override {}
  [[nodiscard]] std::int64_t packet_hops() const { return hops_ + bytes_ / packet_bytes; }

 private:
  std::int64_t hops_ = 0, bytes_ = 0;
};

double core_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A line of /proc/self/status in bytes.
std::int64_t memory(const std::string& what) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::int64_t kib = 0; word == what + ":" && status >> kib) return kib * 1024;
  return 0;
}

void forget_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;
}

template <class T>
T sum(T value, MPI_Datatype type) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, type, MPI_SUM, MPI_COMM_WORLD);
  return value;
}

const char* to_string(Engine engine) {
  return engine == Engine::window ? "window" : "reference";
}

double rate_of(const Measured& m) {
  return static_cast<double>(m.packet_hops > 0 ? m.packet_hops : m.result.events) / m.core_s;
}

/// Events per second of wall time in the tenth of the profile's rows that went fastest: what an undisturbed
/// machine might give. 0 with few rows.
double undisturbed_rate(const RunResult& result) {
  std::vector<double> rates;
  for (const ProfileRow& row : result.profile)
    if (row.events > 0 && row.work_s > 0) rates.push_back(static_cast<double>(row.events) / row.work_s);
  if (rates.size() < 100) return 0;
  const auto tenth = rates.end() - static_cast<std::ptrdiff_t>(rates.size() / 10);
  std::nth_element(rates.begin(), tenth, rates.end());
  return *tenth;
}

}  // namespace

Measured measure(const Model& model, Engine engine, SimTime stop_at) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  forget_peak();
  const std::int64_t before = memory("VmRSS");
  HopCounter recorder;
  Simulation simulation(model, make_partition(model, ranks, Partitioner::automatic), MPI_COMM_WORLD,
                        recorder);
  RunOptions options;
  options.engine = engine;
  options.stop_at = stop_at;
  const double start = core_seconds();
  Measured m;
  m.result = simulation.run(options);
  m.core_s = sum(core_seconds() - start, MPI_DOUBLE);
  m.packet_hops = sum(recorder.packet_hops(), MPI_INT64_T);
  m.grown_bytes = sum(memory("VmHWM") - before, MPI_INT64_T);
  m.result.peak_rss_bytes = sum(memory("VmHWM"), MPI_INT64_T);
  return m;
}

void print_costs(const std::string& name, const Measured& m) {
  fmt::print("result {}_events {:.4g} events/core-s\n", name,
             static_cast<double>(m.result.events) / m.core_s);
  fmt::print("result {}_bytes {} B/pending-event\n", name,
             m.grown_bytes / std::max<std::int64_t>(m.result.peak_pending, 1));
  fmt::print("result {}_memory {} B\n", name, m.result.peak_rss_bytes);
}

void print(const std::string& name, Engine engine, const Measured& m) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  const std::string full = name + "_" + to_string(engine);
  const char* unit = m.packet_hops > 0 ? "packet-hops/core-s" : "events/core-s";
  fmt::print("result {} {:.4g} {}\n", full, rate_of(m), unit);
  fmt::print("result {}_wall {:.4g} {}\n", full, rate_of(m) * m.core_s / m.result.wall_s,
             m.packet_hops > 0 ? "packet-hops/s" : "events/s");
  if (const double rate = undisturbed_rate(m.result); rate > 0)
    fmt::print("result {}_undisturbed {:.4g} {}\n", full,
               rate_of(m) * m.core_s / static_cast<double>(m.result.events) * rate,
               m.packet_hops > 0 ? "packet-hops/s" : "events/s");
  print_costs(full, m);
  std::fflush(stdout);
}

bool Wanted::has(const std::string& result) const {
  for (const std::string& name : names_)
    if (result.starts_with(name) || name.starts_with(result)) return true;
  return names_.empty();
}

bool compare(const std::string& name, const Wanted& wanted, const Model& model, SimTime stop_at) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool has_window = wanted.has(name + "_window");
  const bool has_reference = wanted.has(name + "_reference") && ranks == 1;
  Measured window, reference;
  if (has_window) print(name, Engine::window, window = measure(model, Engine::window, stop_at));
  if (has_reference) print(name, Engine::reference, reference = measure(model, Engine::reference, stop_at));
  if (!has_window || !has_reference) return true;
  fmt::print("result {}_ratio {:.2f} 1\n", name, rate_of(window) / rate_of(reference));
  std::fflush(stdout);
  const bool is_same = window.result.hash == reference.result.hash;
  if (!is_same) fmt::print(stderr, "{}: the engines disagree\n", name);
  return is_same;
}

int main_of(int argc, char** argv, bool (*compare_all)(const Wanted&)) {
  MPI_Init(&argc, &argv);
  watch_for_crowd(MPI_COMM_WORLD);
  bool is_same = false;
  try {
    is_same = compare_all(Wanted(argc, argv));
  } catch (const std::exception& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return is_same ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace lightrail::bench
