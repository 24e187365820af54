#include "app/cli/print_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/cli/busy_cores.hpp"
#include "engine/base/counted.hpp"
#include "engine/base/time.hpp"

namespace lightrail {
namespace {

std::string bytes_text(std::int64_t bytes) {
  constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  auto value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1000 && unit < 6) value /= 1000, ++unit;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3f} {}", value, units[unit]);
}

/// "detail           trains; messages in the storage fabric; tp by formula".
void add_detail(const Summary& summary, std::string& text) {
  if (summary.detail.empty()) return;
  text += fmt::format("detail           {}", summary.detail);
  if (const std::vector<std::string>& fabrics = summary.fabrics_by_messages; !fabrics.empty())
    text += fmt::format("; messages in the {} fabric{}", fmt::join(fabrics, " and the "),
                        fabrics.size() > 1 ? "s" : "");
  if (!summary.by_formula.empty())
    text += fmt::format("; {} by formula", fmt::join(summary.by_formula, "; "));
  text += "\n";
}

void add_step(const IterationSummary& step, std::string& text) {
  text += fmt::format("step time        {} ({}iteration {}, {} GPUs)\n", format_time(SimTime{step.step_ps()}),
                      step.job.empty() ? "" : "job " + step.job + ", ", step.iteration, step.gpus);
  text += fmt::format("  compute        {:5.1f} %\n  exposed comm.  {:5.1f} %\n  idle           {:5.1f} %\n",
                      100 * step.fraction(step.compute_ps), 100 * step.fraction(step.exposed_ps),
                      100 * step.fraction(step.idle_ps));
  if (step.gpu_step_max_ps != step.gpu_step_min_ps)
    text += fmt::format("  by GPU         {} ... {}\n", format_time(SimTime{step.gpu_step_min_ps}),
                        format_time(SimTime{step.gpu_step_max_ps}));
}

/// What the time of the iteration's GPUs went into, the largest first.
void add_exposed(const Summary& summary, const IterationSummary& step, std::string& text) {
  std::vector<ExposedSummary> parts;
  for (const ExposedSummary& part : summary.exposed)
    if (part.iteration == step.iteration && part.job == step.job) parts.push_back(part);
  std::stable_sort(parts.begin(), parts.end(),
                   [](const ExposedSummary& a, const ExposedSummary& b) { return a.time_ps > b.time_ps; });
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += fmt::format("{}{:5.1f} % {}{}", i % 5 == 0 ? "                 " : "  ",
                        100 * step.fraction(parts[i].time_ps), parts[i].label(),
                        i % 5 == 4 || i + 1 == parts.size() ? "\n" : "");
}

void add_jobs(const std::vector<JobSummary>& jobs, std::string& text) {
  if (jobs.empty()) return;
  text += fmt::format("jobs             {:<12} {:>6} {:>14} {:>10} {:>14} {:>14} {:>12}\n", "name", "GPUs",
                      "start", "iterations", "mean step", "longest", "sent");
  for (const JobSummary& job : jobs)
    text += fmt::format("                 {:<12} {:>6} {:>14} {:>10} {:>14} {:>14} {:>12}\n", job.name,
                        job.gpus, format_time(SimTime{job.t_start_ps}), job.iterations,
                        format_time(SimTime{job.mean_step_ps}), format_time(SimTime{job.max_step_ps}),
                        bytes_text(job.size_bytes));
}

void add_serving(const ServingSummary& s, std::string& text) {
  text += fmt::format("requests         {} ended, {:.4g}/s; {:.5g} output tokens/s\n", s.requests,
                      s.per_second(s.requests), s.per_second(s.output_tokens));
  for (const auto& [name, l] : s.latencies())
    if (l->count > 0)
      text += fmt::format("  {:<14} p50 {}, p90 {}, p99 {}\n", name, format_time(SimTime{l->p50_ps}),
                          format_time(SimTime{l->p90_ps}), format_time(SimTime{l->p99_ps}));
  if (s.kv_bytes > 0) text += fmt::format("  {:<14} {}\n", "kv moved", bytes_text(s.kv_bytes));
}

void add_collectives(const Summary& summary, std::string& text) {
  if (summary.collectives.empty()) return;
  text += fmt::format("collectives      {:<15} {:<10} {:>6} {:>14} {:>7} {:>14} {:>12}\n", "type", "group",
                      "ranks", "size", "count", "median", "busbw");
  std::size_t shown = 0;
  for (const auto& c : summary.collectives) {
    if (++shown > 20) {
      text += fmt::format("  ... and {} more, in /summary\n", summary.collectives.size() - 20);
      break;
    }
    text += fmt::format("                 {:<15} {:<10} {:>6} {:>14} {:>7} {:>14} {:>7.1f} GB/s\n",
                        c.collective, c.group, c.group_size, bytes_text(c.size_bytes), c.count,
                        format_time(SimTime{c.median_ps}), c.busbw_bytes_per_s * 1e-9);
  }
}

void add_storms(const StormSummary& all, std::string& text) {
  text += fmt::format(
      "pause storms     {}, the first at {} port {} class {} after {}, the longest {}; {} trains ({}) thrown "
      "away\n",
      all.storms, all.component, all.port, all.lane, format_time(SimTime{all.t_start_ps}),
      format_time(SimTime{all.longest_ps}), all.discarded, bytes_text(all.discarded_bytes));
}

void add_restarts(const RestartSummary& all, std::string& text) {
  const auto time = [](std::int64_t ps) { return format_time(SimTime{ps}); };
  text +=
      fmt::format("restarts         {}{}, the first since {} ({}) failed at {}\n", all.restarts,
                  all.job.empty() ? "" : " of job " + all.job, all.failed, all.cause, time(all.t_failed_ps));
  text += fmt::format("  effective      {:5.1f} % of {}: {} of steps that no failure has undone\n",
                      100 * all.effective(), time(all.time_ps), time(all.effective_ps));
  text += fmt::format("  lost           {} done again; detection {}, until ready {}, load {}, warm-up {}\n",
                      counted(static_cast<std::uint64_t>(all.lost_iterations), "iteration"),
                      time(all.detection_ps), time(all.waiting_ps), time(all.load_ps), time(all.warm_up_ps));
}

void add_grain_check(const GrainCheck& check, std::string& text) {
  const std::string trains =
      check.packets == 1 ? "single packets" : fmt::format("trains of at most {} packets", check.packets);
  const std::string steps = check.last_step == 0 ? "the first step takes"
                            : check.first_step == check.last_step
                                ? fmt::format("iteration {} takes", check.last_step)
                                : fmt::format("iterations {} to {} take", check.first_step, check.last_step);
  text += fmt::format("grain check      {} {}; with {} ", steps, format_time(SimTime{check.step_time_ps}),
                      trains);
  text += check.has_ended() ? fmt::format("{}: {:+.2f} %\n", format_time(SimTime{check.finer_step_time_ps}),
                                          100 * check.error())
                            : std::string("it had not ended after three times as long\n");
}

void add_stepped_over(const SteppedOverSummary& stepped, std::string& text) {
  text += fmt::format(
      "stepped over     {} periods as {} measured ones: {} on the slowest GPU, {:.2f} % less on the fastest, "
      "{:+.2f} % since the first half\n",
      stepped.skipped, stepped.measured, format_time(SimTime{stepped.period_ps}), 100 * stepped.spread(),
      100 * stepped.drift());
  if (!stepped.is_steady())
    text += fmt::format(
        "                 not steady: a step may be {:.1f} % off; try more settling-periods, or step over "
        "nothing\n",
        100 * stepped.uncertainty());
}

/// "whole cluster    20 times this: 10240 GPUs; traffic tp 1.2 TB, dp 3.4 TB; network 5000 $, 700 W".
void add_folded(const Summary& summary, std::string& text) {
  const bool has_all = summary.part_gpus == 0;  // GPUs of the part
  text += fmt::format("whole cluster    {} times {}", summary.fold,
                      has_all ? std::string("this") : fmt::format("the part's {} GPUs", summary.part_gpus));
  if (const std::int64_t gpus = summary.whole_gpus(); gpus > 0) text += fmt::format(": {} GPUs", gpus);
  std::vector<std::string> traffic;
  for (const auto& d : summary.dimensions)
    if (d.size_bytes > 0 && has_all)
      traffic.push_back(fmt::format("{} {}", d.name, bytes_text(d.size_bytes * summary.fold)));
  if (!traffic.empty()) text += fmt::format("; traffic {}", fmt::join(traffic, ", "));
  if (const auto cost = summary.whole_cost_usd())
    text += fmt::format("; network {:.0f} $, {:.0f} W", *cost, summary.whole_power_w().value_or(0));
  if (const auto energy = summary.times_fold(summary.energy_per_step_j()); energy && has_all)
    text += fmt::format("; energy {:.3f} J a step", *energy);
  text += "\n";
}

void add_whole_cluster(const WholeClusterEstimate& whole, std::string& text) {
  text += fmt::format(
      "                 a step of about {} ({} to {}): GPUs with the same work differ by {:.2f} %, and the "
      "slowest of {} may be none of the {} simulated\n",
      format_time(SimTime{whole.step_ps}), format_time(SimTime{whole.low_ps}),
      format_time(SimTime{whole.high_ps}), 100 * whole.deviation, whole.gpus, whole.simulated);
}

void add_replicas_apart(std::int64_t apart_ps, bool is_folded, std::string& text) {
  text += is_folded ? "                 its replicas " : "replicas         ";
  text += apart_ps == 0
              ? std::string("went in lockstep: all were held up at once\n")
              : fmt::format("went apart: of GPUs with the same work one waited {} longer than another\n",
                            format_time(SimTime{apart_ps}));
}

void add_stepped_iterations(const SteppedOverSummary& stepped, const Summary& summary, std::string& text) {
  const auto simulated =
      static_cast<double>(summary.iterations.size()) - static_cast<double>(stepped.skipped);
  text += fmt::format(
      "stepped over     {} of {} iterations, each as the one before: {} on the slowest GPU; about {:.3g} "
      "events "
      "saved\n",
      stepped.skipped, summary.iterations.size(), format_time(SimTime{stepped.period_ps}),
      static_cast<double>(summary.events) * static_cast<double>(stepped.skipped) / simulated);
  text += stepped.is_equal()
              ? std::string(
                    "                 the two that were compared are equal to the picosecond on every GPU\n")
              : fmt::format(
                    "                 an estimate: of the two that were compared a GPU spent {} otherwise; "
                    "a step may be {:.2f} % off; try more settling-iterations, or step over nothing\n",
                    format_time(SimTime{stepped.difference_ps}), 100 * stepped.iterations_uncertainty());
}

/// "recalled         1520 of 1600 collectives; simulated: 40 first, 40 apart".
void add_recalled(const std::vector<RecalledSummary>& all, std::string& text) {
  std::int64_t recalled = 0, sum = 0;
  std::vector<std::string> others;
  for (const RecalledSummary& each : all) {
    sum += each.collectives;
    if (each.outcome == "recalled")
      recalled = each.collectives;
    else
      others.push_back(fmt::format("{} {}", each.collectives, each.outcome));
  }
  text += fmt::format("recalled         {} of {} collectives", recalled, sum);
  text += others.empty() ? "\n" : fmt::format("; simulated: {}\n", fmt::join(others, ", "));
}

}  // namespace

std::string remarks_text(const std::vector<Remark>& remarks) {
  constexpr std::size_t max_shown = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(remarks.size(), max_shown); ++i)
    text += fmt::format("{:<17}{}: {}\n", i == 0 ? "rests on" : "", remarks[i].about, remarks[i].text);
  if (remarks.size() > max_shown)
    text += fmt::format("{:<17}... and {} more, in /summary/remarks\n", "", remarks.size() - max_shown);
  return text;
}

std::string summary_text(const Summary& summary, const std::string& file) {
  std::string text = fmt::format("status           {}{}\n", summary.status,
                                 summary.reason.empty() ? "" : " (" + summary.reason + ")");
  text += fmt::format("simulated        {}\n", format_time(SimTime{summary.sim_end_ps}));
  add_detail(summary, text);
  for (const IterationSummary* step : summary.last_iterations()) {
    add_step(*step, text);
    add_exposed(summary, *step, text);
  }
  add_jobs(summary.jobs(), text);
  if (summary.serving) add_serving(*summary.serving, text);
  for (const auto& d : summary.dimensions)
    if (d.size_bytes > 0)
      text += fmt::format("traffic {:<8} {} in {} messages\n", d.name, bytes_text(d.size_bytes), d.messages);
  add_collectives(summary, text);
  if (summary.storms) add_storms(*summary.storms, text);
  for (const RestartSummary& one : summary.restarts) add_restarts(one, text);
  if (summary.network_cost_usd)
    text += fmt::format("network          {:.0f} $, {:.0f} W, {:.1f} pJ/bit at full rate\n",
                        *summary.network_cost_usd, *summary.network_power_w,
                        summary.network_pj_per_bit.value_or(0));
  if (const auto gain = summary.steps_per_s_per_musd())
    text += fmt::format("  per dollar     {:.4g} steps/s for a million dollars of network\n", *gain);
  text += remarks_text(summary.remarks);
  if (summary.grain_check) add_grain_check(*summary.grain_check, text);
  if (!summary.recalled.empty()) add_recalled(summary.recalled, text);
  if (summary.fold > 1) add_folded(summary, text);
  if (summary.whole_cluster) add_whole_cluster(*summary.whole_cluster, text);
  if (summary.replicas_apart_ps) add_replicas_apart(*summary.replicas_apart_ps, summary.fold > 1, text);
  if (summary.stepped_over) add_stepped_over(*summary.stepped_over, text);
  if (summary.stepped_iterations) add_stepped_iterations(*summary.stepped_iterations, summary, text);
  if (summary.energy_j) text += fmt::format("energy           {:.3f} J\n", *summary.energy_j);
  if (const auto energy = summary.energy_per_step_j())
    text += fmt::format("  per step       {:.3f} J\n", *energy);
  const double rate = summary.wall_s > 0 ? static_cast<double>(summary.events) / summary.wall_s : 0;
  text += fmt::format("events           {} in {:.2f} s wall ({:.3g}/s) on {}, build {:.2f} s, {} of memory\n",
                      summary.events, summary.wall_s, rate, counted(summary.ranks, "rank"), summary.build_s,
                      bytes_text(summary.peak_rss_bytes));
  text += busy_cores_text(summary.cores, summary.ranks, summary.wall_s);
  text += fmt::format("hash             {}\n", summary.hash);
  if (summary.status == "stopped" && !summary.checkpoint.empty())
    text += fmt::format("checkpoint       {} (go on with --resume)\n", summary.checkpoint);
  if (!file.empty()) text += fmt::format("result           {}\n", file);
  return text;
}

}  // namespace lightrail
