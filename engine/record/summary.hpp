#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/core_time.hpp"
#include "engine/model/remark.hpp"
#include "engine/partition/forecast_row.hpp"
#include "engine/record/grain_check.hpp"
#include "engine/record/restart_summary.hpp"
#include "engine/record/serving_summary.hpp"
#include "engine/record/stepped_over_summary.hpp"
#include "engine/record/storm_summary.hpp"
#include "engine/record/whole_cluster.hpp"

namespace lightrail {

/// All GPUs of a job over one iteration, where the job was restarted its last time. The step lasts from the
/// first GPU's start to the last GPU's end; the sums over GPUs are of their own times.
struct IterationSummary {
  std::int64_t iteration = 0;
  std::int64_t gpus = 0;
  std::int64_t t_start_ps = 0, t_end_ps = 0;
  std::int64_t gpu_time_ps = 0, compute_ps = 0, exposed_ps = 0, idle_ps = 0;  ///< sums over GPUs
  std::int64_t gpu_step_min_ps = 0, gpu_step_max_ps = 0;                      ///< spread over GPUs
  std::int64_t gpu_compute_min_ps = 0, gpu_compute_max_ps = 0;
  std::string job = {};  ///< whose iteration it is; empty: of the only job

  [[nodiscard]] std::int64_t step_ps() const { return t_end_ps - t_start_ps; }
  /// Of the time that GPUs spent in the iteration; 0 when that is 0.
  [[nodiscard]] double fraction(std::int64_t part_ps) const {
    return gpu_time_ps > 0 ? static_cast<double>(part_ps) / static_cast<double>(gpu_time_ps) : 0;
  }
};

/// What the time of all GPUs of an iteration went into: rows of the table exposed, added up. Those of an
/// iteration add up to IterationSummary::gpu_time_ps.
struct ExposedSummary {
  std::int64_t iteration = 0;
  std::string use;               ///< compute, communication, bubble, host, copy, storage, idle
  std::string dimension, group;  ///< of communication and bubble; else empty
  std::int64_t time_ps = 0;
  std::string job = {};  ///< empty: the only one

  /// "compute", "tp", "pp bubble", of a group that is not called as its dimension "dp (expert-dp)".
  [[nodiscard]] std::string label() const;
};

/// One of several jobs.
struct JobSummary {
  std::string name;
  std::int64_t gpus = 0, iterations = 0;           ///< that ended
  std::int64_t t_start_ps = 0, t_end_ps = 0;       ///< of the first iteration, of the last one
  std::int64_t step_ps = 0;                        ///< last iteration
  std::int64_t mean_step_ps = 0, max_step_ps = 0;  ///< all of them
  std::int64_t size_bytes = 0;                     ///< payload of its dimensions, "NAME.tp", over the run
};

struct DimensionSummary {
  std::string name;
  std::int64_t size_bytes = 0, messages = 0;  ///< payload sent by all GPUs over the whole run
};

/// Collectives that a run with <run recall="collectives"> might not have simulated, by what became of them
/// (table recalled).
struct RecalledSummary {
  std::string outcome;
  std::int64_t collectives = 0;
};

/// The recorded collectives of one type, group kind and size.
struct CollectiveSummary {
  std::string collective, group;
  std::int64_t group_size = 0, size_bytes = 0, count = 0;
  std::int64_t median_ps = 0, min_ps = 0, max_ps = 0;   ///< duration on one GPU
  double algbw_bytes_per_s = 0, busbw_bytes_per_s = 0;  ///< as nccl-tests define them, of the median
};

/// What a run amounts to: /summary of the file, and what the command line prints.
struct Summary {
  std::string status, hash, reason;
  std::string checkpoint;                        ///< the newest one written; empty: none
  std::string detail;                            ///< DetailUsed; empty: of a model without
  std::vector<std::string> fabrics_by_messages;  ///< where not all are
  std::vector<std::string> by_formula;           ///< DetailUsed; where not all is
  std::vector<std::string> waits;
  std::vector<Remark> remarks;
  std::int64_t events = 0, sim_end_ps = 0, peak_rss_bytes = 0, seed = 0;
  double wall_s = 0, build_s = 0;
  int ranks = 1;
  CoreTime cores;                            ///< of the run, sum over ranks
  std::vector<IterationSummary> iterations;  ///< job by job
  std::vector<ExposedSummary> exposed;       ///< job by job, in the order of iterations
  std::vector<DimensionSummary> dimensions;
  std::vector<CollectiveSummary> collectives;
  std::vector<RecalledSummary> recalled;  ///< those that there are; empty: nothing could be recalled
  std::optional<std::int64_t> all_reduce_median_ps;
  std::optional<ServingSummary> serving;  ///< none: no request has ended
  std::optional<StormSummary> storms;     ///< none: there was none
  std::vector<RestartSummary> restarts;   ///< of jobs that were restarted, in their order
  std::optional<double> energy_j;
  std::optional<double> network_cost_usd, network_power_w, network_pj_per_bit;  ///< of the bill of materials
  std::optional<GrainCheck> grain_check;                                        ///< of --check-grain
  std::optional<SteppedOverSummary> stepped_over, stepped_iterations;           ///< none: nothing was
  std::optional<WholeClusterEstimate> whole_cluster;  ///< of folded replicas that differ
  std::optional<std::int64_t> replicas_apart_ps;      ///< without drawn times: of folded ones, or by messages
  std::int64_t fold = 1;                              ///< FoldFactor: the whole cluster is so many of this
  std::int64_t part_gpus = 0;  ///< FoldFactor: GPUs of the part where tables lack some; 0: those of a step
  std::optional<double> whole_network_cost_usd, whole_network_power_w;  ///< FoldFactor: as it would be built
  std::vector<ForecastRow> forecast;                                    ///< of --predict-ranks

  /// The last iteration, the one that start-up does not distort. Null: no GPU finished one, or there are
  /// several jobs.
  [[nodiscard]] const IterationSummary* last_iteration() const {
    return iterations.empty() || has_jobs() ? nullptr : &iterations.back();
  }
  /// The last iteration of each job, in their order.
  [[nodiscard]] std::vector<const IterationSummary*> last_iterations() const;
  [[nodiscard]] bool has_jobs() const { return !iterations.empty() && !iterations.front().job.empty(); }
  /// Of each of several jobs that ended an iteration; empty: of one job.
  [[nodiscard]] std::vector<JobSummary> jobs() const;
  [[nodiscard]] std::optional<double> energy_per_step_j() const {
    if (!energy_j || !last_iteration()) return std::nullopt;
    return *energy_j / static_cast<double>(iterations.size());
  }
  /// What its ranks ran of the time in which they could have: 1 where each had a core for itself.
  [[nodiscard]] std::optional<double> core_share() const {
    return cores.ran_s > 0 ? std::optional(cores.share()) : std::nullopt;
  }
  /// Of the whole cluster: as it would be built, or `fold` times the part's.
  [[nodiscard]] std::optional<double> whole_cost_usd() const {
    return whole_network_cost_usd ? whole_network_cost_usd : times_fold(network_cost_usd);
  }
  [[nodiscard]] std::optional<double> whole_power_w() const {
    return whole_network_power_w ? whole_network_power_w : times_fold(network_power_w);
  }
  /// GPUs of the whole cluster; 0 where no step has ended.
  [[nodiscard]] std::int64_t whole_gpus() const {
    const IterationSummary* step = last_iteration();
    return step ? (part_gpus > 0 ? part_gpus : step->gpus) * fold : 0;
  }
  [[nodiscard]] std::optional<double> times_fold(const std::optional<double>& part) const {
    return part ? std::optional(*part * static_cast<double>(fold)) : std::nullopt;
  }
  /// Performance per dollar: steps a second for a million dollars of the network, of the whole cluster's.
  [[nodiscard]] std::optional<double> steps_per_s_per_musd() const {
    const IterationSummary* step = last_iteration();
    const std::optional<double> cost = whole_cost_usd();
    if (!step || step->step_ps() <= 0 || !cost || *cost <= 0) return std::nullopt;
    return 1e12 / static_cast<double>(step->step_ps()) / (*cost * 1e-6);
  }
};

/// JSON for scripts; a value that the run does not have is null.
[[nodiscard]] std::string to_json(const Summary& summary);

}  // namespace lightrail
