#include "app/cli/slow_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "workloads/program/program.hpp"

namespace lightrail {
namespace {

constexpr double links_a_train = 6;      // GPU - NIC - leaf - spine - leaf - NIC - GPU
constexpr double events_a_second = 1e6;  // of one rank on a core of a server, in round figures
constexpr double worth_a_word_s = 120;

bool is_communication(OpKind kind) {
  switch (kind) {
    case OpKind::collective:
    case OpKind::send:
    case OpKind::storage_read:
    case OpKind::storage_write:
    case OpKind::host_copy:
      return true;
    case OpKind::compute:
    case OpKind::host:
    case OpKind::recv:
    case OpKind::marker:
      return false;
  }
  return false;
}

/// Of links that serialise, the smallest train in packets and its bytes.
std::pair<std::uint32_t, double> smallest_train(const Model& model) {
  std::uint32_t grain = 0;
  double bytes = 0;
  for (const LinkClass& one : model.link_classes) {
    if (one.rate.value == 0 || (grain > 0 && one.grain >= grain)) continue;
    grain = one.grain;
    bytes = static_cast<double>(one.grain) * one.mtu_bytes;
  }
  return {grain, bytes};
}

std::string duration_text(double seconds) {
  if (seconds < 7200) return fmt::format("{:.0f} minutes", seconds / 60);
  return seconds < 172'800 ? fmt::format("{:.0f} hours", seconds / 3600)
                           : fmt::format("{:.0f} days", seconds / 86'400);
}

}  // namespace

double expected_trains(const Model& model) {
  const auto* set = model.resource<ProgramSet>();
  const double train = smallest_train(model).second;
  if (!set || train == 0) return 0;
  std::vector<double> of_program;
  for (const Program& program : set->programs) {
    double bytes = 0;
    for (const Op& op : program.ops)
      if (is_communication(op.kind)) bytes += static_cast<double>(op.bytes);
    of_program.push_back(bytes);
  }
  double bytes = 0;
  for (const std::uint32_t program : set->program_of_gpu)
    if (program < of_program.size()) bytes += of_program[program];
  return bytes * set->iterations * links_a_train / train;
}

std::vector<std::string> slowness_notes(const Model& model, const Partition& partition,
                                        const CommandLine& line) {
  const double events = expected_trains(model), seconds = events / events_a_second / partition.ranks;
  if (seconds < worth_a_word_s || line.run.stop_at != time_never) return {};
  std::vector<std::string> notes{fmt::format(
      "some {:.0e} events are ahead, about {} on {} rank{} (a guess; the progress line knows better)", events,
      duration_text(seconds), partition.ranks, partition.ranks == 1 ? "" : "s")};
  if (line.run.engine == Engine::reference)
    notes.emplace_back(
        "the reference engine is there to check the other one, which is faster: --engine window");
  if (const std::uint32_t grain = smallest_train(model).first; grain <= 10)
    notes.push_back(fmt::format(
        "a train has {} packet{}; <network grain=\"16\"> has about {:.0f} times fewer events (docs/"
        "grain.md has the cost in accuracy)",
        grain, grain == 1 ? "" : "s", 16.0 / grain));
  if (partition.ranks > 1 && partition.lookahead < nanoseconds(100))
    notes.push_back(
        fmt::format("ranks meet every {} of simulated time, the latency of a link between them; "
                    "fewer ranks may be faster (--predict-ranks says)",
                    format_time(partition.lookahead)));
  if (partition.ranks == 1)
    notes.emplace_back(
        "more ranks give the same answer sooner: mpiexec -n N (--predict-ranks 2,4,8 says how much)");
  notes.emplace_back("--exit-after and --resume auto take it in parts, --stop-at ends it early");
  return notes;
}

}  // namespace lightrail
