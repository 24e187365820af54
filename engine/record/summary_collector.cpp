#include "engine/record/summary_collector.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>

#include "engine/base/error.hpp"
#include "engine/model/detail_used.hpp"
#include "engine/model/fold_factor.hpp"
#include "engine/model/model_notes.hpp"
#include "engine/model/network_cost.hpp"
#include "engine/model/replica_sample.hpp"

namespace lightrail {

namespace {

constexpr std::size_t stepped_figures = 6;  ///< of micro-batches, and of iterations

/// nccl-tests' factor from algorithm bandwidth to bus bandwidth (doc/PERFORMANCE.md of nccl-tests).
double bus_factor(const std::string& collective, std::int64_t group_size) {
  if (group_size < 1) return 1;
  auto n = static_cast<double>(group_size);
  if (collective == "all_reduce") return 2 * (n - 1) / n;
  if (collective == "all_gather" || collective == "reduce_scatter" || collective == "all_to_all")
    return (n - 1) / n;
  return 1;
}

/// Middle of sorted values; of an even number the mean of the two in the middle, rounded down.
std::int64_t median(std::span<const std::int64_t> sorted) {
  std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : std::midpoint(sorted[half - 1], sorted[half]);
}

}  // namespace

SummaryCollector::SummaryCollector(const Model& model)
    : tables_(model.tables),
      notes_(model.resource<ModelNotes>()),
      ids_{tables_->find("steps"),        tables_->find("traffic"), tables_->find("collectives"),
           tables_->find("requests"),     tables_->find("power"),   tables_->find("exposed"),
           tables_->find("stepped_over"), tables_->find("storms"),  tables_->find("restarts"),
           tables_->find("recalled")},
      dimension_bytes_(2 * model.dimensions.size()),
      stepped_over_(2 * stepped_figures, std::numeric_limits<std::int64_t>::max()) {
  if (ids_.recalled) recalled_.resize(labels_of(*ids_.recalled, "outcome").size());
  if (const auto* sample = model.resource<ReplicaSample>()) {
    compute_ps_.resize(sample->work_of_gpu.size());
    latest_step_.resize(compute_ps_.size(), -1);
    exposed_ps_.resize(compute_ps_.size());
  }
}

const std::vector<std::string>& SummaryCollector::labels_of(TableId table, const char* column) const {
  const auto& columns = (*tables_)[table].columns;
  return std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == column; })
      ->labels;
}

std::int64_t SummaryCollector::cell(TableId table, std::span<const std::int64_t> row,
                                    const char* column) const {
  const auto& columns = (*tables_)[table].columns;  // few
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].name == column) return row[i];
  LIGHTRAIL_EXPECT(!"the table has that column");
  return 0;
}

std::size_t SummaryCollector::job_count() const {
  return notes_ ? std::max<std::size_t>(1, notes_->jobs.size()) : 1;
}

std::size_t SummaryCollector::job_of(std::int64_t gpu) const {
  return job_count() > 1 ? notes_->job_of_gpu.at(static_cast<std::size_t>(gpu)) : 0;
}

std::string SummaryCollector::job_name(std::size_t job) const {
  return notes_ && !notes_->jobs.empty() ? notes_->jobs.at(job) : std::string();
}

SummaryCollector::Iteration::Iteration() {
  min.fill(std::numeric_limits<std::int64_t>::max());
}

void SummaryCollector::add_step(std::span<const std::int64_t> row) {
  auto at = [&](const char* column) { return cell(*ids_.steps, row, column); };
  LIGHTRAIL_EXPECT(at("iteration") >= 0);
  const std::size_t index = static_cast<std::size_t>(at("iteration")) * job_count() + job_of(at("gpu"));
  const auto attempt = static_cast<std::size_t>(at("attempt"));
  if (attempt >= iterations_.size()) iterations_.resize(attempt + 1);
  std::vector<Iteration>& own = iterations_[attempt];
  if (index >= own.size()) own.resize(index + 1);
  Iteration& it = own[index];
  std::int64_t start = at("t_start_ps"), end = at("t_end_ps"), compute = at("t_compute_ps");
  std::array<std::int64_t, 6> min = {start, -end, end - start, start - end, compute, -compute};
  for (std::size_t i = 0; i < min.size(); ++i) it.min[i] = std::min(it.min[i], min[i]);
  std::array<std::int64_t, 5> sum = {1, end - start, compute, at("t_exposed_ps"), at("t_idle_ps")};
  for (std::size_t i = 0; i < sum.size(); ++i) it.sum[i] += sum[i];
  if (compute_ps_.empty()) return;
  const auto gpu = static_cast<std::size_t>(at("gpu"));
  latest_step_.at(gpu) = (at("attempt") << 32) + at("iteration");
  compute_ps_.at(gpu) = compute;
  exposed_ps_.at(gpu) = at("t_exposed_ps");
}

void SummaryCollector::add_stepped_over(std::span<const std::int64_t> row) {
  const auto at = [&](const char* column) { return cell(*ids_.stepped_over, row, column); };
  const std::int64_t begin = at("t_begin_ps"), middle = at("t_middle_ps"), end = at("t_end_ps");
  LIGHTRAIL_EXPECT(begin < middle && middle < end);
  const std::array<std::int64_t, stepped_figures> least{at("measured"), at("skipped"),  end - middle,
                                                        middle - end,   begin - middle, -at("difference_ps")};
  const auto first = static_cast<std::size_t>(at("what")) * stepped_figures;
  LIGHTRAIL_EXPECT(first < stepped_over_.size());
  for (std::size_t i = 0; i < least.size(); ++i)
    stepped_over_[first + i] = std::min(stepped_over_[first + i], least[i]);
}

std::optional<SteppedOverSummary> SummaryCollector::stepped_over(std::size_t what) const {
  const std::span figures = std::span(stepped_over_).subspan(what * stepped_figures, stepped_figures);
  const std::int64_t measured = figures[0];
  if (measured == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  const std::int64_t half = measured / 2;
  return SteppedOverSummary{measured,           figures[1],         figures[2] / half,
                            -figures[3] / half, -figures[4] / half, -figures[5]};
}

void SummaryCollector::add_exposed(std::span<const std::int64_t> row) {
  auto at = [&](const char* column) { return cell(*ids_.exposed, row, column); };
  const ExposedRow mine{static_cast<std::int64_t>(job_of(at("gpu"))),
                        at("iteration"),
                        at("attempt"),
                        at("use"),
                        at("dimension"),
                        at("group"),
                        0};
  auto place = std::lower_bound(exposed_.begin(), exposed_.end(), mine);
  if (place == exposed_.end() || !place->adds_to(mine)) place = exposed_.insert(place, mine);
  place->time_ps += at("time_ps");
}

std::optional<StormSummary> SummaryCollector::storms(const Model& model) const {
  if (storms_.empty()) return std::nullopt;
  const StormRow& first = storms_.front();
  StormSummary all;
  all.component = model.component_name(ComponentId{static_cast<std::uint32_t>(first.component)});
  all.port = first.port, all.lane = first.lane, all.t_start_ps = first.t_start_ps;
  for (const StormRow& one : storms_) {
    ++all.storms;
    all.longest_ps = std::max(all.longest_ps, one.t_storm_ps);
    all.discarded += one.discarded, all.discarded_bytes += one.discarded_bytes;
  }
  return all;
}

void SummaryCollector::add(TableId table, std::span<const std::int64_t> row, ComponentId component) {
  auto at = [&](const char* column) { return cell(table, row, column); };
  if (table == ids_.steps) {
    add_step(row);
  } else if (table == ids_.exposed) {
    add_exposed(row);
  } else if (table == ids_.traffic) {
    auto first = static_cast<std::size_t>(at("dimension")) * 2;
    LIGHTRAIL_EXPECT(first < dimension_bytes_.size());
    dimension_bytes_[first] += at("size_bytes");
    dimension_bytes_[first + 1] += at("messages");
  } else if (table == ids_.collectives) {
    collectives_.push_back(
        {at("collective"), at("group"), at("size_bytes"), at("t_end_ps") - at("t_start_ps")});
  } else if (table == ids_.requests) {
    requests_.push_back({at("t_arrival_ps"), at("t_first_token_ps"), at("t_end_ps"), at("prompt_tokens"),
                         at("output_tokens"), at("kv_bytes"), at("t_first_at_user_ps"),
                         at("t_last_at_user_ps")});
  } else if (table == ids_.storms) {
    storms_.push_back({at("t_start_ps"), component.value, at("port"), at("lane"), at("t_storm_ps"),
                       at("discarded"), at("discarded_bytes")});
  } else if (table == ids_.restarts) {
    restarts_.push_back({at("job"), at("attempt"), at("cause"), at("failed"), at("t_failed_ps"),
                         at("t_halted_ps"), at("t_ready_ps"), at("t_loaded_ps"), at("t_back_ps"),
                         at("reached"), at("iteration")});
  } else if (table == ids_.recalled) {
    recalled_.at(static_cast<std::size_t>(at("outcome"))) += at("collectives");
  } else if (table == ids_.stepped_over) {
    add_stepped_over(row);
  } else if (table == ids_.power) {
    energy_nj_ += std::llround(std::bit_cast<double>(at("energy_pj")) / 1000);
    ++power_rows_;
  }
}

std::vector<SummaryCollector::Iteration> SummaryCollector::last_done() const {
  std::vector<Iteration> last;
  for (const std::vector<Iteration>& of_attempt : iterations_) {
    if (of_attempt.size() > last.size()) last.resize(of_attempt.size());
    for (std::size_t i = 0; i < of_attempt.size(); ++i)
      if (of_attempt[i].sum[0] > 0) last[i] = of_attempt[i];
  }
  return last;
}

void SummaryCollector::add_iterations(Summary& summary) const {
  const std::size_t jobs = job_count();
  const std::vector<Iteration> last = last_done();
  for (std::size_t job = 0; job < jobs; ++job)
    for (std::size_t i = job; i < last.size(); i += jobs) {
      const auto& l = last[i].min;
      const auto& s = last[i].sum;
      if (s[0] == 0) continue;
      summary.iterations.push_back({static_cast<std::int64_t>(i / jobs), s[0], l[0], -l[1], s[1], s[2], s[3],
                                    s[4], l[2], -l[3], l[4], -l[5], job_name(job)});
    }
}

void SummaryCollector::add_recalled(Summary& summary) const {
  for (std::size_t i = 0; i < recalled_.size(); ++i)
    if (recalled_[i] > 0) summary.recalled.push_back({labels_of(*ids_.recalled, "outcome")[i], recalled_[i]});
}

void SummaryCollector::add_exposed(const Model& model, Summary& summary) const {
  if (exposed_.empty()) return;
  const auto& labels = labels_of(*ids_.exposed, "use");
  for (std::size_t i = 0; i < exposed_.size(); ++i) {
    const ExposedRow& r = exposed_[i];
    // The rows of an iteration are in the order of attempts: is there a later one?
    std::size_t last = i;
    while (last + 1 < exposed_.size() && exposed_[last + 1].is_beside(r)) ++last;
    if (exposed_[last].attempt != r.attempt) continue;
    ExposedSummary all{r.iteration, labels.at(static_cast<std::size_t>(r.use)), "", "",
                       r.time_ps,   job_name(static_cast<std::size_t>(r.job))};
    if (r.dimension >= 0) all.dimension = model.dimensions.at(static_cast<std::size_t>(r.dimension));
    if (r.group >= 0 && notes_) all.group = notes_->groups.at(static_cast<std::size_t>(r.group)).name;
    summary.exposed.push_back(std::move(all));
  }
}

void SummaryCollector::add_collectives(Summary& summary) const {
  const auto& all = collectives_;
  if (all.empty()) return;
  const auto& labels = labels_of(*ids_.collectives, "collective");
  std::vector<std::int64_t> all_reduces;
  for (auto first = all.begin(); first != all.end();) {
    auto last = std::find_if(first, all.end(), [&](const CollectiveRow& r) {
      return r.collective != first->collective || r.group != first->group ||
             r.size_bytes != first->size_bytes;
    });
    std::vector<std::int64_t> durations;
    for (auto r = first; r != last; ++r) durations.push_back(r->duration_ps);
    CollectiveSummary c;
    c.collective = labels.at(static_cast<std::size_t>(first->collective));
    if (notes_ && first->group >= 0 && static_cast<std::size_t>(first->group) < notes_->groups.size()) {
      const ModelNotes::Group& group = notes_->groups[static_cast<std::size_t>(first->group)];
      c.group = group.name;
      c.group_size = group.size;
    }
    c.size_bytes = first->size_bytes;
    c.count = last - first;
    c.min_ps = durations.front();
    c.median_ps = median(durations);
    c.max_ps = durations.back();
    if (c.median_ps > 0)
      c.algbw_bytes_per_s = static_cast<double>(c.size_bytes) / (static_cast<double>(c.median_ps) * 1e-12);
    c.busbw_bytes_per_s = c.algbw_bytes_per_s * bus_factor(c.collective, c.group_size);
    if (c.collective == "all_reduce")
      all_reduces.insert(all_reduces.end(), durations.begin(), durations.end());
    summary.collectives.push_back(c);
    first = last;
  }
  std::sort(all_reduces.begin(), all_reduces.end());
  if (!all_reduces.empty()) summary.all_reduce_median_ps = median(all_reduces);
}

void SummaryCollector::add_restarts(const Model& model, Summary& summary) const {
  if (restarts_.empty()) return;
  const auto& causes = labels_of(*ids_.restarts, "cause");
  const std::size_t jobs = job_count();
  for (const RestartRow& r : restarts_) {
    const std::string job = job_name(static_cast<std::size_t>(r.job));
    if (summary.restarts.empty() || summary.restarts.back().job != job) {
      RestartSummary all;
      all.job = job, all.t_failed_ps = r.t_failed_ps;
      all.cause = causes.at(static_cast<std::size_t>(r.cause));
      all.failed = model.component_name(ComponentId{static_cast<std::uint32_t>(r.failed)});
      std::int64_t begin = std::numeric_limits<std::int64_t>::max();
      for (const std::vector<Iteration>& of_attempt : iterations_)
        for (auto i = static_cast<std::size_t>(r.job); i < of_attempt.size(); i += jobs)
          begin = std::min(begin, of_attempt[i].min[0]);
      // Steps of a pipeline overlap: what the one before had is counted with it.
      std::int64_t end = begin;
      for (const IterationSummary& i : summary.iterations) {
        if (i.job != job) continue;
        all.effective_ps += std::max<std::int64_t>(i.t_end_ps - std::max(i.t_start_ps, end), 0);
        end = std::max(end, i.t_end_ps);
      }
      all.time_ps = end - begin;
      summary.restarts.push_back(all);
    }
    RestartSummary& all = summary.restarts.back();
    ++all.restarts;
    all.detection_ps += r.t_halted_ps - r.t_failed_ps;
    if (r.t_ready_ps >= 0) all.waiting_ps += r.t_ready_ps - r.t_halted_ps;
    if (r.t_loaded_ps >= 0) all.load_ps += r.t_loaded_ps - r.t_ready_ps;
    if (r.t_back_ps >= 0) all.warm_up_ps += r.t_back_ps - r.t_loaded_ps;
    if (r.iteration >= 0) all.lost_iterations += r.reached + 1 - r.iteration;
  }
}

void SummaryCollector::reduce(MPI_Comm comm, const Model& model, Summary& summary) const {
  const SummaryCollector all = merged(comm);
  all.add_iterations(summary);
  all.add_exposed(model, summary);
  for (std::size_t d = 0; d < model.dimensions.size(); ++d)
    summary.dimensions.push_back(
        {model.dimensions[d], all.dimension_bytes_[2 * d], all.dimension_bytes_[2 * d + 1]});
  if (const auto* cost = model.resource<NetworkCost>()) {
    summary.network_cost_usd = cost->cost.value;
    summary.network_power_w = cost->power.value;
    summary.network_pj_per_bit = cost->pj_per_bit;
  }
  if (all.power_rows_ > 0) summary.energy_j = static_cast<double>(all.energy_nj_) * 1e-9;
  all.add_collectives(summary);
  summary.serving = summarise(all.requests_);
  summary.storms = all.storms(model);
  all.add_restarts(model, summary);
  summary.stepped_over = all.stepped_over(0);
  summary.stepped_iterations = all.stepped_over(1);
  all.add_recalled(summary);
  if (const auto* used = model.resource<DetailUsed>())
    summary.detail = used->name, summary.fabrics_by_messages = used->fabrics,
    summary.by_formula = used->formula;
  if (const auto* folded = model.resource<FoldFactor>()) {
    summary.fold = folded->times;
    if (folded->has_stand_ins) summary.part_gpus = folded->gpus;
    if (folded->network) {
      summary.whole_network_cost_usd = folded->network->cost.value;
      summary.whole_network_power_w = folded->network->power.value;
    }
  }
  const auto* sample = model.resource<ReplicaSample>();
  if (const IterationSummary* step = summary.last_iteration(); sample && step) {
    summary.whole_cluster = estimate_whole(step->step_ps(), all.compute_ps_, *sample);
    const bool have_all_ended =
        std::equal(all.latest_step_.begin() + 1, all.latest_step_.end(), all.latest_step_.begin());
    if (!sample->is_drawn && have_all_ended)
      summary.replicas_apart_ps = replicas_apart(all.exposed_ps_, *sample);
  }
}

}  // namespace lightrail
