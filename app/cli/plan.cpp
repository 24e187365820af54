#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/cli/plan_search.hpp"
#include "app/cli/slow_run.hpp"
#include "app/cli/sweep.hpp"
#include "engine/base/counted.hpp"
#include "engine/base/csv.hpp"
#include "engine/scenario/units.hpp"
#include "workloads/generate/training/model_figures.hpp"

namespace lightrail {
namespace {

constexpr double gib = 1ll << 30;
constexpr std::size_t shown_by_formula = 10;  // plans, where none is run in trains

/// A cluster that was asked about, and what was found for it.
struct Found {
  std::vector<std::string> settings;  ///< NAME=VALUE of --over
  PlanTask task;
  PlanSearch search;

  [[nodiscard]] double cost() const { return task.network ? task.network->cost.value : 0; }
};

std::string plan_of(const Way& way) {
  return way.plan.empty() ? "as written" : plan_text(way.plan);
}

double tokens_of(const PlanTask& task, const Way& way) {
  return task.tokens() / way.seconds() / task.gpus;
}

std::string line_of(const PlanTask& task, const Way& way, std::size_t rank) {
  const double flops =
      model_flops(task.model, task.own.sequence).total() * task.tokens() / way.seconds() / task.gpus;
  std::string trains = "-", off = "-";
  if (way.trains_ps >= 0) {
    trains = format_time(SimTime{way.trains_ps});
    off = fmt::format("{:+.1f} %",
                      100 * (static_cast<double>(way.formula_ps) / static_cast<double>(way.trains_ps) - 1));
  }
  return fmt::format(
      "{:>5}  {:>11} {:>11} {:>7} {:>12.0f} {:>9.0f} {:>6}  {:>6.1f}  {}\n", rank,
      format_time(SimTime{way.formula_ps}), trains, off, tokens_of(task, way), flops * 1e-12,
      task.peak.value > 0 ? fmt::format("{:.0f} %", 100 * flops / static_cast<double>(task.peak.value)) : "-",
      static_cast<double>(way.memory_bytes) / gib, plan_of(way));
}

/// How far the estimates are from what was run by formula.
std::string agreement_of(const std::vector<Way>& ways) {
  double sum = 0, worst = 0;
  std::size_t count = 0;
  for (const Way& way : ways) {
    if (way.estimate_ps < 0) continue;
    const double off = static_cast<double>(way.estimate_ps) / static_cast<double>(way.formula_ps) - 1;
    sum += std::abs(off), ++count;
    if (std::abs(off) > std::abs(worst)) worst = off;
  }
  if (count == 0) return "";
  return fmt::format("estimates of these are {:.1f} % off the formula on average, {:+.1f} % at most\n",
                     100 * sum / static_cast<double>(count), 100 * worst);
}

std::string head_of(const PlanTask& task, const PlanSearch& search, const CommandLine& line) {
  std::string network;
  if (task.network)
    network = fmt::format("; network of {}, {}", format_value(task.network->cost),
                          format_value(task.network->power));
  std::string text = fmt::format(
      "{} of {:.1f} GiB, {:.1f} of them left free (--reserve), {} to an NVLink domain; {} of {} tokens a "
      "step{}\n"
      "{} combinations, of which the model, the batch and the GPUs allow {}{}\n",
      counted(task.gpus, "GPU"), static_cast<double>(task.memory_bytes) / gib,
      static_cast<double>(line.reserve_bytes) / gib, task.domain, counted(task.own.global_batch, "sequence"),
      task.own.sequence, network, search.combinations, search.possible,
      search.nearest_bytes == 0 ? ""
                                : fmt::format("; the nearest that does not fit needs {:.1f} GiB",
                                              static_cast<double>(search.nearest_bytes) / gib));
  text += fmt::format("{} fit, {} estimated from small jobs; {} run by formula, {} in trains{}\n",
                      search.fitting, search.estimated, search.ways.size(),
                      line.best == 0 ? "none" : fmt::format("the best {}", line.best),
                      task.steps_over ? "; micro-batches that repeat each other are stepped over" : "");
  text += agreement_of(search.ways) + "\n";
  return text + fmt::format("{:>5}  {:>11} {:>11} {:>7} {:>12} {:>9} {:>6}  {:>6}  plan\n", "rank", "formula",
                            "trains", "off", "tokens/s/GPU", "TFLOP/s", "MFU", "GiB");
}

std::string text_of(const Found& found, const CommandLine& line) {
  std::string text;
  if (!found.settings.empty()) text += fmt::format("== {}\n", fmt::join(found.settings, " "));
  text += head_of(found.task, found.search, line);
  const std::vector<Way>& ways = found.search.ways;
  const std::size_t shown = line.best == 0 ? shown_by_formula : found.search.best;
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (i < shown || ways[i].plan.empty()) text += line_of(found.task, ways[i], i + 1);
  if (ways.empty()) text += "  none fits\n";
  if (found.search.longest_s > 0)
    text += fmt::format("not run in trains: what takes longer than --longest, up to about {} here\n",
                        duration_text(found.search.longest_s));
  return text;
}

/// The way that is fastest as far as it was run; null: none fits.
const Way* best_of(const Found& found) {
  const auto& ways = found.search.ways;
  const Way* best = nullptr;
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (i == 0 || (ways[i].trains_ps >= 0 && ways[i].seconds() < best->seconds())) best = &ways[i];
  return best;
}

/// Whether no other cluster is as fast and as cheap, and better in one of the two.
bool is_on_front(const Found& found, const std::vector<Found>& all) {
  const double step = best_of(found)->seconds(), cost = found.cost();
  return std::none_of(all.begin(), all.end(), [&](const Found& other) {
    const Way* best = best_of(other);
    if (!best || best->seconds() > step || other.cost() > cost) return false;
    return best->seconds() < step || other.cost() < cost;
  });
}

/// The best of each cluster, the fastest first.
std::string comparison(const std::vector<Found>& all) {
  std::vector<const Found*> order;
  for (const Found& found : all)
    if (best_of(found)) order.push_back(&found);
  std::stable_sort(order.begin(), order.end(), [](const Found* a, const Found* b) {
    return best_of(*a)->seconds() < best_of(*b)->seconds();
  });
  const bool is_priced =
      std::all_of(all.begin(), all.end(), [](const Found& found) { return found.task.network.has_value(); });
  std::string text = fmt::format("\nthe best of each, the fastest first{}\n",
                                 is_priced ? "; * nothing here is cheaper and as fast" : "");
  text += fmt::format("  {:>11} {:>12} {:>12} {:>10}  cluster; plan\n", "step", "tokens/s/GPU", "network",
                      "power");
  for (const Found* found : order) {
    const Way& best = *best_of(*found);
    const auto& network = found->task.network;
    text += fmt::format(
        "{} {:>11} {:>12.0f} {:>12} {:>10}  {}; {}\n", is_priced && is_on_front(*found, all) ? '*' : ' ',
        format_time(SimTime{best.trains_ps >= 0 ? best.trains_ps : best.formula_ps}),
        tokens_of(found->task, best), network ? format_value(network->cost) : "-",
        network ? format_value(network->power) : "-", fmt::join(found->settings, " "), plan_of(best));
  }
  return text;
}

/// All ways of all clusters, a line each.
void write_table(const std::string& path, const std::vector<Found>& all) {
  std::ofstream out(path);
  for (const std::string& setting : all.front().settings) out << setting.substr(0, setting.find('=')) << ',';
  out << "gpus,network_dollars,network_watts,rank,estimate_ps,formula_ps,trains_ps,tokens_per_s_per_gpu,"
         "memory_bytes,"
         "plan\n";
  for (const Found& found : all) {
    std::string cluster;
    for (const std::string& setting : found.settings)
      cluster += csv_quoted(setting.substr(setting.find('=') + 1)) + ',';
    const auto& network = found.task.network;
    cluster += fmt::format("{},{},{}", found.task.gpus, network ? fmt::to_string(network->cost.value) : "",
                           network ? fmt::to_string(network->power.value) : "");
    const std::vector<Way>& ways = found.search.ways;
    for (std::size_t i = 0; i < ways.size(); ++i)
      out << fmt::format("{},{},{},{},{},{:.1f},{},{}\n", cluster, i + 1, ways[i].estimate_ps,
                         ways[i].formula_ps, ways[i].trains_ps, tokens_of(found.task, ways[i]),
                         ways[i].memory_bytes, csv_quoted(plan_of(ways[i])));
  }
  if (!(out << std::flush)) throw IoError("cannot write '" + path + "'");
}

}  // namespace

ExitCode plan(CommandLine line, const MpiSession& mpi) {
  line.run.catch_signals = false;  // no file is open: a signal ends the search
  const auto registry = on_every_rank(mpi, [&] { return load_registry(line.plugins); });
  const auto variants = on_every_rank(mpi, [&] { return points_over(line.over); });
  std::vector<Found> all;
  for (const std::vector<std::string>& settings : variants) {
    const CommandLine one = at_point(line, settings);
    Found& found = all.emplace_back();
    found.settings = settings;
    found.task = on_every_rank(mpi, [&] { return read_plan_task(one, registry); });
    found.search = search_plans(found.task, registry, one, mpi);
    on_every_rank(mpi, [&] {
      if (mpi.rank() == 0) std::fputs(((all.size() > 1 ? "\n" : "") + text_of(found, line)).c_str(), stdout);
    });
  }
  on_every_rank(mpi, [&] {
    if (mpi.rank() != 0) return;
    if (all.size() > 1) std::fputs(comparison(all).c_str(), stdout);
    if (!line.out.empty()) write_table(line.out, all);
  });
  return ExitCode::done;
}

}  // namespace lightrail
