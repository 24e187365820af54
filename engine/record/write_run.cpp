#include "engine/record/write_run.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdint>
#include <ctime>
#include <numeric>
#include <utility>

#include "engine/base/polite_wait.hpp"
#include "engine/record/hdf5_recorder.hpp"
#include "engine/record/provenance.hpp"

namespace lightrail {

namespace {

// An object header of HDF5 1.10 holds 64 KiB.
constexpr std::size_t longest_attribute = 16'384;

std::string shortened(std::string text) {
  if (text.size() > longest_attribute) text.replace(longest_attribute - 3, text.npos, "...");
  return text;
}

void write_jobs(ResultFile& file, const std::vector<JobSummary>& jobs) {
  file.create_group("/summary/jobs");
  const auto number = [&](const char* name, const char* unit, std::int64_t JobSummary::*member) {
    file.write_numbers(std::string("/summary/jobs/") + name, unit, jobs.size(),
                       [&](auto i) { return jobs[i].*member; });
  };
  file.write_texts("/summary/jobs/name", jobs.size(), [&](auto i) { return jobs[i].name; });
  number("gpus", "1", &JobSummary::gpus);
  number("iterations", "1", &JobSummary::iterations);
  number("t_start_ps", "ps", &JobSummary::t_start_ps);
  number("t_end_ps", "ps", &JobSummary::t_end_ps);
  number("step_time_ps", "ps", &JobSummary::step_ps);
  number("mean_step_time_ps", "ps", &JobSummary::mean_step_ps);
  number("max_step_time_ps", "ps", &JobSummary::max_step_ps);
  number("size_bytes", "B", &JobSummary::size_bytes);
}

}  // namespace

void write_run_start(ResultFile& file, const RecorderOptions& options, const Model& model,
                     const Partition& partition, int ranks) {
  file.set_attribute("/", "schema", "lightrail result");
  file.set_attribute("/", "schema_version", result_layout);
  file.set_attribute("/", "software", "lightrail");
  file.set_attribute("/", "software_version", software_version());
  file.set_attribute("/", "git_describe", git_describe());

  file.create_group("/run");
  file.set_attribute("/run", "status", "running");
  file.set_attribute("/run", "created", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(options.created_s)));
  file.set_attribute("/run", "command_line", shortened(options.command_line));
  file.set_attribute("/run", "mpi_ranks", std::int64_t{ranks});
  file.set_attribute("/run", "seed", static_cast<std::int64_t>(model.seed));
  file.set_attribute("/run", "interval_ps", std::int64_t{options.interval.count()});
  file.set_attribute("/run", "resumed_at_ps", std::int64_t{options.resumed_at.count()});
  file.set_attribute("/run", "io", options.io == RecordMode::gather ? "gather" : "collective");
  file.write_text("/run/scenario", options.scenario_xml);
  file.write_texts("/run/inputs", options.inputs.size(), [&](auto i) { return options.inputs[i]; });
  file.write_texts("/run/settings", options.settings.size(), [&](auto i) { return options.settings[i]; });

  file.create_group("/profile");
  file.set_attribute("/profile", "cut_links", std::int64_t{partition.cut_links});
  file.set_attribute("/profile", "lookahead_ps", std::int64_t{partition.lookahead.count()});
  file.write_numbers("/profile/rank_of_atom", "1", partition.rank_of_atom.size(),
                     [&](auto i) { return partition.rank_of_atom[i]; });
}

void write_summary(ResultFile& file, const Summary& summary) {
  file.create_group("/summary");
  file.set_attribute("/summary", "sim_end_ps", summary.sim_end_ps);
  if (!summary.detail.empty()) file.set_attribute("/summary", "detail", summary.detail);
  if (!summary.fabrics_by_messages.empty())
    file.set_attribute("/summary", "fabrics_by_messages",
                       fmt::format("{}", fmt::join(summary.fabrics_by_messages, ", ")));
  if (!summary.by_formula.empty())
    file.set_attribute("/summary", "by_formula", fmt::format("{}", fmt::join(summary.by_formula, "; ")));
  if (!summary.remarks.empty()) {
    const std::vector<Remark>& all = summary.remarks;
    file.create_group("/summary/remarks");
    file.set_attribute("/summary/remarks", "doc", "what the result rests on beside its tables");
    file.write_texts("/summary/remarks/about", all.size(), [&](auto i) { return all[i].about; });
    file.write_texts("/summary/remarks/text", all.size(), [&](auto i) { return all[i].text; });
  }
  if (const IterationSummary* last = summary.last_iteration()) {
    file.set_attribute("/summary", "step_time_ps", last->step_ps());
    file.set_attribute("/summary", "compute_fraction", last->fraction(last->compute_ps));
    file.set_attribute("/summary", "exposed_communication_fraction", last->fraction(last->exposed_ps));
    file.set_attribute("/summary", "idle_fraction", last->fraction(last->idle_ps));
  }
  if (const auto& check = summary.grain_check) {
    file.set_attribute("/summary", "grain_check_packets", check->packets);
    file.set_attribute("/summary", "grain_check_first_step", check->first_step);
    file.set_attribute("/summary", "grain_check_last_step", check->last_step);
    file.set_attribute("/summary", "grain_check_step_time_ps", check->step_time_ps);
    file.set_attribute("/summary", "grain_check_finer_step_time_ps", check->finer_step_time_ps);
    if (check->has_ended()) file.set_attribute("/summary", "grain_check_error", check->error());
  }
  if (const auto& stepped = summary.stepped_over) {
    file.set_attribute("/summary", "stepped_over_periods", stepped->skipped);
    file.set_attribute("/summary", "stepped_over_period_ps", stepped->period_ps);
    file.set_attribute("/summary", "stepped_over_spread", stepped->spread());
    file.set_attribute("/summary", "stepped_over_drift", stepped->drift());
    file.set_attribute("/summary", "stepped_over_uncertainty", stepped->uncertainty());
  }
  if (const auto& stepped = summary.stepped_iterations) {
    file.set_attribute("/summary", "stepped_iterations", stepped->skipped);
    file.set_attribute("/summary", "stepped_iterations_difference_ps", stepped->difference_ps);
    file.set_attribute("/summary", "stepped_iterations_uncertainty", stepped->iterations_uncertainty());
  }
  if (summary.fold > 1) {
    file.set_attribute("/summary", "fold", summary.fold);
    if (summary.energy_j && summary.part_gpus == 0)
      file.set_attribute("/summary", "whole_cluster_energy_j", *summary.times_fold(summary.energy_j));
    if (const auto cost = summary.whole_cost_usd())
      file.set_attribute("/summary", "whole_cluster_network_cost_usd", *cost);
    if (const auto power = summary.whole_power_w())
      file.set_attribute("/summary", "whole_cluster_network_power_w", *power);
  }
  if (const auto& whole = summary.whole_cluster) {
    file.set_attribute("/summary", "whole_cluster_step_time_ps", whole->step_ps);
    file.set_attribute("/summary", "whole_cluster_low_ps", whole->low_ps);
    file.set_attribute("/summary", "whole_cluster_high_ps", whole->high_ps);
    file.set_attribute("/summary", "whole_cluster_deviation", whole->deviation);
  }
  if (summary.replicas_apart_ps)
    file.set_attribute("/summary", summary.fold > 1 ? "whole_cluster_replicas_apart_ps" : "replicas_apart_ps",
                       *summary.replicas_apart_ps);
  for (const RecalledSummary& each : summary.recalled)
    file.set_attribute("/summary", "recalled_" + each.outcome, each.collectives);
  if (const auto& storms = summary.storms) {
    file.set_attribute("/summary", "storms", storms->storms);
    file.set_attribute("/summary", "storms_longest_ps", storms->longest_ps);
    file.set_attribute("/summary", "storms_discarded_bytes", storms->discarded_bytes);
    file.set_attribute("/summary", "storms_first", storms->component);
  }
  if (summary.all_reduce_median_ps)
    file.set_attribute("/summary", "all_reduce_median_ps", *summary.all_reduce_median_ps);
  if (summary.energy_j) file.set_attribute("/summary", "energy_j", *summary.energy_j);
  for (const auto& [name, value] : {std::pair{"network_cost_usd", summary.network_cost_usd},
                                    {"network_power_w", summary.network_power_w},
                                    {"network_pj_per_bit", summary.network_pj_per_bit},
                                    {"energy_per_step_j", summary.energy_per_step_j()},
                                    {"steps_per_s_per_musd", summary.steps_per_s_per_musd()}})
    if (value) file.set_attribute("/summary", name, *value);

  if (summary.serving) {
    const ServingSummary& s = *summary.serving;
    file.create_group("/summary/serving");
    for (const auto& [name, value] : {std::pair{"requests", s.requests},
                                      {"prompt_tokens", s.prompt_tokens},
                                      {"output_tokens", s.output_tokens},
                                      {"kv_bytes", s.kv_bytes},
                                      {"span_ps", s.span_ps}})
      file.set_attribute("/summary/serving", name, value);
    for (const auto& [name, value] : {std::pair{"requests_per_s", s.per_second(s.requests)},
                                      {"output_tokens_per_s", s.per_second(s.output_tokens)},
                                      {"tokens_per_s", s.per_second(s.output_tokens + s.prompt_tokens)}})
      file.set_attribute("/summary/serving", name, value);
    for (const auto& [name, l] : s.latencies())
      for (const auto& [part, value] : {std::pair{"_count", l->count},
                                        {"_mean_ps", l->mean_ps},
                                        {"_p50_ps", l->p50_ps},
                                        {"_p90_ps", l->p90_ps},
                                        {"_p99_ps", l->p99_ps},
                                        {"_max_ps", l->max_ps}})
        file.set_attribute("/summary/serving", std::string(name) + part, value);
  }
  const auto& iterations = summary.iterations;
  file.create_group("/summary/iterations");
  auto number = [&](const char* name, const char* unit, std::int64_t IterationSummary::*member) {
    file.write_numbers(std::string("/summary/iterations/") + name, unit, iterations.size(),
                       [&](auto i) { return iterations[i].*member; });
  };
  number("iteration", "1", &IterationSummary::iteration);
  number("gpus", "1", &IterationSummary::gpus);
  number("t_start_ps", "ps", &IterationSummary::t_start_ps);
  number("t_end_ps", "ps", &IterationSummary::t_end_ps);
  number("gpu_time_ps", "ps", &IterationSummary::gpu_time_ps);
  number("compute_ps", "ps", &IterationSummary::compute_ps);
  number("exposed_ps", "ps", &IterationSummary::exposed_ps);
  number("idle_ps", "ps", &IterationSummary::idle_ps);
  number("gpu_step_min_ps", "ps", &IterationSummary::gpu_step_min_ps);
  number("gpu_step_max_ps", "ps", &IterationSummary::gpu_step_max_ps);
  number("gpu_compute_min_ps", "ps", &IterationSummary::gpu_compute_min_ps);
  number("gpu_compute_max_ps", "ps", &IterationSummary::gpu_compute_max_ps);
  if (summary.has_jobs()) {
    file.write_texts("/summary/iterations/job", iterations.size(), [&](auto i) { return iterations[i].job; });
    write_jobs(file, summary.jobs());
  }

  const auto& exposed = summary.exposed;
  file.create_group("/summary/exposed");
  const auto text = [&](const char* name, std::string ExposedSummary::*member) {
    file.write_texts(std::string("/summary/exposed/") + name, exposed.size(),
                     [&](auto i) { return exposed[i].*member; });
  };
  file.write_numbers("/summary/exposed/iteration", "1", exposed.size(),
                     [&](auto i) { return exposed[i].iteration; });
  text("use", &ExposedSummary::use);
  text("dimension", &ExposedSummary::dimension);
  text("group", &ExposedSummary::group);
  if (summary.has_jobs()) text("job", &ExposedSummary::job);
  file.write_numbers("/summary/exposed/time_ps", "ps", exposed.size(),
                     [&](auto i) { return exposed[i].time_ps; });

  const auto& dimensions = summary.dimensions;
  file.create_group("/summary/dimensions");
  file.write_texts("/summary/dimensions/name", dimensions.size(), [&](auto i) { return dimensions[i].name; });
  file.write_numbers("/summary/dimensions/size_bytes", "B", dimensions.size(),
                     [&](auto i) { return dimensions[i].size_bytes; });
  file.write_numbers("/summary/dimensions/messages", "1", dimensions.size(),
                     [&](auto i) { return dimensions[i].messages; });

  const auto& collectives = summary.collectives;
  const std::size_t rows = collectives.size();
  const std::string path = "/summary/collectives/";
  file.create_group("/summary/collectives");
  file.write_texts(path + "collective", rows, [&](auto i) { return collectives[i].collective; });
  file.write_texts(path + "group", rows, [&](auto i) { return collectives[i].group; });
  file.write_numbers(path + "group_size", "1", rows, [&](auto i) { return collectives[i].group_size; });
  file.write_numbers(path + "size_bytes", "B", rows, [&](auto i) { return collectives[i].size_bytes; });
  file.write_numbers(path + "count", "1", rows, [&](auto i) { return collectives[i].count; });
  file.write_numbers(path + "median_ps", "ps", rows, [&](auto i) { return collectives[i].median_ps; });
  file.write_numbers(path + "min_ps", "ps", rows, [&](auto i) { return collectives[i].min_ps; });
  file.write_numbers(path + "max_ps", "ps", rows, [&](auto i) { return collectives[i].max_ps; });
  file.write_reals(path + "algbw_bytes_per_s", "B/s", rows,
                   [&](auto i) { return collectives[i].algbw_bytes_per_s; });
  file.write_reals(path + "busbw_bytes_per_s", "B/s", rows,
                   [&](auto i) { return collectives[i].busbw_bytes_per_s; });
}

void write_profile(ResultFile& file, const std::vector<RankedProfile>& profile) {
  const std::size_t rows = profile.size();
  const std::string path = "/profile/windows/";
  file.create_group("/profile/windows");
  auto window = [&](std::size_t i) -> const WindowProfile& { return profile[i].window; };
  file.write_numbers(path + "rank", "1", rows, [&](auto i) { return profile[i].rank; });
  file.write_numbers(path + "first_window", "1", rows, [&](auto i) { return window(i).first_window; });
  file.write_numbers(path + "windows", "1", rows, [&](auto i) { return window(i).windows; });
  file.write_numbers(path + "t_start_ps", "ps", rows, [&](auto i) { return window(i).t_start.count(); });
  file.write_numbers(path + "t_end_ps", "ps", rows, [&](auto i) { return window(i).t_end.count(); });
  file.write_reals(path + "work_s", "s", rows, [&](auto i) { return window(i).work_s; });
  file.write_reals(path + "wait_s", "s", rows, [&](auto i) { return window(i).wait_s; });
  file.write_numbers(path + "events", "1", rows, [&](auto i) { return window(i).events; });
  file.write_numbers(path + "sent_events", "1", rows, [&](auto i) { return window(i).sent_events; });
  file.write_numbers(path + "sent_bytes", "B", rows, [&](auto i) { return window(i).sent_bytes; });
}

void write_run_end(ResultFile& file, const RunOutcome& outcome) {
  file.set_attribute("/run", "exit_code", std::int64_t{outcome.exit_code});
  file.set_attribute("/run", "sim_end_ps", std::int64_t{outcome.end.count()});
  file.set_attribute("/run", "events", outcome.events);
  file.set_attribute("/run", "windows", outcome.windows);
  file.set_attribute("/run", "hash", fmt::format("{:016x}", outcome.hash));
  file.set_attribute("/run", "wall_s", outcome.wall_s);
  file.set_attribute("/run", "build_s", outcome.build_s);
  file.set_attribute("/run", "imbalance", outcome.imbalance);
  file.set_attribute("/run", "peak_rss_bytes", outcome.peak_rss_bytes);
  file.set_attribute("/run", "reason", shortened(outcome.reason));
  file.set_attribute("/run", "checkpoint", shortened(outcome.checkpoint));
  file.write_texts("/run/waits", outcome.waits.size(), [&](auto i) { return outcome.waits[i]; });
  file.set_attribute("/run", "status", outcome.status);
}

Summary make_summary(const RunOutcome& outcome, int ranks, const Model& model) {
  Summary summary;
  summary.status = outcome.status;
  summary.hash = fmt::format("{:016x}", outcome.hash);
  summary.reason = outcome.reason;
  summary.checkpoint = outcome.checkpoint;
  summary.waits = outcome.waits;
  summary.remarks = model.remarks;
  summary.grain_check = outcome.grain_check;
  summary.events = outcome.events;
  summary.sim_end_ps = outcome.end.count();
  summary.peak_rss_bytes = outcome.peak_rss_bytes;
  summary.seed = static_cast<std::int64_t>(model.seed);
  summary.wall_s = outcome.wall_s;
  summary.build_s = outcome.build_s;
  summary.cores = outcome.cores;
  summary.ranks = ranks;
  return summary;
}

std::vector<RankedProfile> gather_profile(MPI_Comm comm, const RunOutcome& outcome) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::vector<RankedProfile> mine;
  for (const auto& window : outcome.profile) mine.push_back({rank, window});
  int count = static_cast<int>(mine.size());
  std::vector<int> counts(ranks), starts(ranks + 1);
  MPI_Request request;
  MPI_Igather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm, &request);
  wait_politely(request);
  std::partial_sum(counts.begin(), counts.end(), starts.begin() + 1);
  std::vector<RankedProfile> all(static_cast<std::size_t>(starts.back()));
  MPI_Datatype row;
  MPI_Type_contiguous(sizeof(RankedProfile), MPI_BYTE, &row);
  MPI_Type_commit(&row);
  MPI_Igatherv(mine.data(), count, row, all.data(), counts.data(), starts.data(), row, 0, comm, &request);
  wait_politely(request);
  MPI_Type_free(&row);
  return all;
}

}  // namespace lightrail
