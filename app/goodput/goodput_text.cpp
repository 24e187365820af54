#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "app/goodput/goodput_report.hpp"
#include "engine/base/counted.hpp"

namespace lightrail {
namespace {

constexpr std::size_t most_categories = 8;

double seconds(SimTime time) {
  return static_cast<double>(time.count()) * 1e-12;
}

/// "92.31 % (91.62 ... 92.99)".
std::string share_text(const Spread& spread) {
  return fmt::format("{:6.2f} %  ({:.2f} ... {:.2f})", 100 * spread.mean, 100 * spread.p5, 100 * spread.p95);
}

void add_failures(const GoodputResult& result, std::string& text) {
  text += fmt::format("failures         {:.1f} a run ({:.0f} ... {:.0f})", result.failures.mean,
                      result.failures.p5, result.failures.p95);
  if (result.failures.mean > 0)
    text += ", one each " + span_text(seconds(result.plan.period) / result.failures.mean);
  text += "\n";
  std::vector<std::size_t> order(result.failures_by_category.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return result.failures_by_category[a] > result.failures_by_category[b];
  });
  const auto add = [&](const std::string& name, double count) {
    text += fmt::format("  {:<26} {:8.1f}  {:5.1f} %\n", name, count,
                        result.failures.mean > 0 ? 100 * count / result.failures.mean : 0);
  };
  double others = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double count = result.failures_by_category[order[i]];
    if (i < most_categories)
      add(result.plan.categories[order[i]].name, count);
    else
      others += count;
  }
  if (order.size() > most_categories) add(fmt::format("{} others", order.size() - most_categories), others);
}

void add_uses(const GoodputResult& result, std::string& text) {
  text += "where time goes\n";
  for (std::size_t use = 0; use < goodput_uses; ++use)
    if (result.shares[use].mean > 0)
      text += fmt::format("  {:<16} {}\n", goodput_use_names()[use], share_text(result.shares[use]));
}

void add_memory(const MemoryCopies& memory, const GoodputResult& result, std::string& text) {
  text += fmt::format("\n  in memory      of {} servers each, {} ", memory.copies,
                      memory.storage_every > 0 ? fmt::format("each {} also in storage,",
                                                             counted(memory.storage_every, "checkpoint"))
                                               : std::string("none in storage,"));
  text += fmt::format("lost {:.3g} times a run", result.lost_groups);
}

void add_checkpoint(const GoodputResult& result, std::string& text) {
  const JobCheckpoint& plan = *result.plan.checkpoint;
  text +=
      fmt::format("checkpoint       every {}, {} blocked",
                  span_text(seconds(result.plan.whole_steps(plan.every))), span_text(seconds(plan.blocking)));
  if (plan.write > SimTime{})
    text += fmt::format(", {} written beside training", span_text(seconds(plan.write)));
  const ClosedFormResult& closed = *result.closed;
  if (result.plan.memory) add_memory(*result.plan.memory, result, text);
  text += fmt::format("\n  closed forms   {:.2f} % exact, {:.2f} % by the RSC equation (restart {})\n",
                      100 * closed.renewal, 100 * closed.rsc, span_text(result.plan.mean_restart_s()));
  if (result.plan.spares) text += "                 (neither knows waits for a spare)\n";
  const IntervalResult& best = result.intervals[*result.best];
  text +=
      fmt::format("  best interval  {}: {:.2f} %; exact form {}: {:.2f} %", span_text(seconds(best.every)),
                  100 * best.effective.mean, span_text(closed.best_every_s), 100 * closed.best_effective);
  if (closed.young_s > 0 && std::isfinite(closed.young_s)) text += "; Young's " + span_text(closed.young_s);
  text += "\n";
}

}  // namespace

std::string span_text(double seconds) {
  if (seconds >= 2 * 86'400) return fmt::format("{:.3g} d", seconds / 86'400);
  if (seconds >= 2 * 3'600) return fmt::format("{:.3g} h", seconds / 3'600);
  if (seconds >= 2 * 60) return fmt::format("{:.3g} min", seconds / 60);
  return fmt::format("{:.3g} s", seconds);
}

std::string to_text(const GoodputResult& result) {
  const GoodputPlan& plan = result.plan;
  const Spread& effective = result.share(GoodputUse::effective);
  std::string text = fmt::format("goodput          {}\n", share_text(effective));
  text += fmt::format("  of             {} of {} GPUs, steps of {}, {} (5 and 95 % of them in brackets)\n",
                      span_text(seconds(plan.period)), plan.gpus, span_text(seconds(plan.step)),
                      counted(plan.runs, "run"));
  if (plan.replicas)
    text += fmt::format("  steps          {:.2f} % of those attempted count\n", 100 * result.committed_share);
  add_failures(result, text);
  add_uses(result, text);
  if (plan.checkpoint) add_checkpoint(result, text);
  return text;
}

}  // namespace lightrail
