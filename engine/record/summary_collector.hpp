#pragma once
#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/model/model_notes.hpp"
#include "engine/model/state_io.hpp"
#include "engine/record/summary.hpp"

namespace lightrail {

/// Adds up rows of the tables traffic, steps, exposed, collectives, requests, power, stepped_over, storms,
/// restarts and recalled while they pass, and reduces them over ranks. Only signed 64-bit integers are
/// reduced, so the order of ranks cannot reach the result; energy is counted in nanojoules. A sum of times
/// over GPUs holds 106 GPU-days (10,000 GPUs for 15 minutes) an iteration.
class SummaryCollector {
 public:
  /// Of a model's tables and dimensions; a table that it lacks adds nothing.
  explicit SummaryCollector(const Model& model);
  /// `component`: whose row it is.
  void add(TableId table, std::span<const std::int64_t> row, ComponentId component = {});
  /// Fills iterations, exposed, dimensions, collectives, all_reduce_median_ps, serving, energy_j, storms,
  /// restarts, stepped_over and recalled, the same on every rank. Of iterations that were done again the last
  /// time counts.
  void reduce(MPI_Comm comm, const Model& model, Summary& summary) const;

  /// Collective: what all ranks have together, the same on every rank.
  [[nodiscard]] SummaryCollector merged(MPI_Comm comm) const;
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Iteration {
    // All are reduced by MIN (largest values negated) or SUM.
    std::array<std::int64_t, 6> min;
    std::array<std::int64_t, 5> sum{};
    Iteration();
  };
  struct CollectiveRow {
    std::int64_t collective, group, size_bytes, duration_ps;
    auto operator<=>(const CollectiveRow&) const = default;  // NOLINT(modernize-use-nullptr): see Quantity
  };
  struct StormRow {
    std::int64_t t_start_ps, component, port, lane, t_storm_ps, discarded, discarded_bytes;
    auto operator<=>(const StormRow&) const = default;  // NOLINT(modernize-use-nullptr): see Quantity
  };
  struct RestartRow {
    std::int64_t job, attempt, cause, failed, t_failed_ps, t_halted_ps, t_ready_ps, t_loaded_ps, t_back_ps,
        reached, iteration;
    auto operator<=>(const RestartRow&) const = default;  // NOLINT(modernize-use-nullptr): see Quantity
  };
  /// Time by job, iteration, attempt, use, dimension, group; of all GPUs [ps].
  struct ExposedRow {
    std::int64_t job, iteration, attempt, use, dimension, group, time_ps;
    auto operator<=>(const ExposedRow&) const = default;  // NOLINT(modernize-use-nullptr): see Quantity
    /// Of the same iteration.
    [[nodiscard]] bool is_beside(const ExposedRow& other) const {
      return job == other.job && iteration == other.iteration;
    }
    /// Of the same time.
    [[nodiscard]] bool adds_to(const ExposedRow& other) const {
      return is_beside(other) && attempt == other.attempt && use == other.use &&
             dimension == other.dimension && group == other.group;
    }
  };
  /// What is added up, where the model has it.
  struct Ids {
    std::optional<TableId> steps, traffic, collectives, requests, power, exposed, stepped_over, storms,
        restarts, recalled;
  };
  /// The row's value in a column that its table must have.
  [[nodiscard]] std::int64_t cell(TableId table, std::span<const std::int64_t> row, const char* column) const;
  void add_step(std::span<const std::int64_t> row);
  void add_stepped_over(std::span<const std::int64_t> row);
  /// Of micro-batches (0) or iterations (1), as the column `what` has them.
  [[nodiscard]] std::optional<SteppedOverSummary> stepped_over(std::size_t what) const;
  [[nodiscard]] std::vector<std::vector<Iteration>> merged_iterations(MPI_Comm comm) const;
  /// By iteration and job, as iterations_ has them: the last time that it was done.
  [[nodiscard]] std::vector<Iteration> last_done() const;
  void add_restarts(const Model& model, Summary& summary) const;
  void add_exposed(std::span<const std::int64_t> row);
  void add_iterations(Summary& summary) const;
  void add_exposed(const Model& model, Summary& summary) const;
  void add_collectives(Summary& summary) const;
  [[nodiscard]] std::optional<StormSummary> storms(const Model& model) const;
  void add_recalled(Summary& summary) const;
  /// Texts of a column of labels.
  [[nodiscard]] const std::vector<std::string>& labels_of(TableId table, const char* column) const;

  /// 0 where there is one job.
  [[nodiscard]] std::size_t job_of(std::int64_t gpu) const;
  [[nodiscard]] std::size_t job_count() const;
  [[nodiscard]] std::string job_name(std::size_t job) const;

  std::shared_ptr<const TableRegistry> tables_;
  const ModelNotes* notes_;  ///< null: nothing is said of the job
  Ids ids_;
  /// By attempt: of all jobs the first one, of all the second one, ...
  std::vector<std::vector<Iteration>> iterations_;
  std::vector<std::int64_t> dimension_bytes_;  ///< bytes, messages of dimension 0, of dimension 1, ...
  std::vector<ExposedRow> exposed_;            ///< sorted but for the time, each once
  std::vector<CollectiveRow> collectives_;
  std::vector<ServedRequest> requests_;
  std::vector<StormRow> storms_;
  std::vector<RestartRow> restarts_;
  std::vector<std::int64_t> recalled_;  ///< collectives by outcome
  std::int64_t energy_nj_ = 0, power_rows_ = 0;
  /// Of micro-batches, then of iterations, the least of: periods measured, periods skipped, a GPU's time in
  /// the second half of those measured, that negated, its time in the first half, negated, the difference of
  /// the halves, negated. INT64_MAX: no rows.
  std::vector<std::int64_t> stepped_over_;
  /// By GPU: which step was its latest (attempt and iteration, rising; -1: none has been) and how long it
  /// computed and waited for others in it [ps]. Empty where no replica stands for others.
  std::vector<std::int64_t> latest_step_, compute_ps_, exposed_ps_;
};

}  // namespace lightrail
