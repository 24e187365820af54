#include "app/cli/slow_run.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "app/cli/expected_events.hpp"
#include "app/cli/smallest_train.hpp"
#include "engine/base/counted.hpp"
#include "fabrics/system/train_cap.hpp"

namespace lightrail {
namespace {

constexpr double worth_a_word_s = 120;

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.1g} seconds", seconds);
  if (seconds < 120) return fmt::format("{:.0f} seconds", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} minutes", seconds / 60);
  return seconds < 172'800 ? fmt::format("{:.0f} hours", seconds / 3600)
                           : fmt::format("{:.0f} days", seconds / 86'400);
}

std::vector<std::string> slowness_notes(const Model& model, const Partition& partition,
                                        const CommandLine& line) {
  const Expected expected = expected_events(model);
  const double seconds = expected.seconds(partition.ranks);
  if (seconds < worth_a_word_s || line.run.stop_at != time_never) return {};
  std::vector<std::string> notes{
      fmt::format("some {:.0e} events are ahead, about {} on {} (a guess; the progress line knows better)",
                  expected.events, duration_text(seconds), counted(partition.ranks, "rank"))};
  if (line.run.engine == Engine::reference)
    notes.emplace_back(
        "the reference engine is there to check the other one, which is faster: --engine window");
  const std::uint32_t grain = smallest_train(model, false).packets;
  if (grain > 0 && grain <= 10 && !model.resource<TrainCap>())  // else a longer one would be cut
    notes.push_back(
        fmt::format("a train has {}; <network grain=\"16\"> has about {:.0f} times fewer events (docs/"
                    "grain.md has the cost in accuracy)",
                    counted(grain, "packet"), 16.0 / grain));
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
