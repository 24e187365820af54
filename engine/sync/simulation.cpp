#include "engine/sync/simulation.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/large_pages.hpp"
#include "engine/base/polite_wait.hpp"
#include "engine/model/reports_progress.hpp"
#include "engine/sync/deadlock_report.hpp"
#include "engine/sync/failure.hpp"
#include "engine/sync/reference_engine.hpp"
#include "engine/sync/window_engine.hpp"

namespace lightrail {
namespace {

// Components whose state is some MB: below, to look for pages takes longer than it could save.
constexpr std::size_t large_model = 1000;

/// What components push in finish(): nothing.
class NoEvents final : public EventSink {
 public:
  void push(SimTime, std::uint32_t, Payload, const OutLink&) override {
    throw ContractError("an event was sent in finish()");
  }
};

std::int64_t peak_rss() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return std::int64_t{use.ru_maxrss} * 1024;
}

template <class T>
T reduce(T value, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  all_reduce(&value, 1, type, op, comm);
  return value;
}

CoreTime sum_of(const CoreTime& mine, MPI_Comm comm) {
  double all[2] = {mine.ran_s, mine.waited_s};
  all_reduce(all, 2, MPI_DOUBLE, MPI_SUM, comm);
  return {all[0], all[1]};
}

}  // namespace

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double done_share(RankModel& model, MPI_Comm comm) {
  constexpr std::size_t most_asked = 1000;
  const auto& places = model.places();
  double sums[2] = {0, 0};
  for (std::size_t i = 0; i < places.size(); i += places.size() / most_asked + 1)
    if (const auto* told = dynamic_cast<const ReportsProgress*>(&model.component(places[i])))
      if (const auto share = told->done_share()) sums[0] += *share, sums[1] += 1;
  all_reduce(sums, 2, MPI_DOUBLE, MPI_SUM, comm);
  return sums[1] > 0 ? sums[0] / sums[1] : 0;
}

const char* to_string(RunStatus status) {
  switch (status) {
    case RunStatus::complete:
      return "complete";
    case RunStatus::stopped:
      return "stopped";
    case RunStatus::deadlock:
      return "deadlock";
  }
  return "?";
}

std::string hash_text(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

struct Simulation::Parts {
  Parts(const Model& m, const Partition& p, MPI_Comm parent, Recorder& r)
      : model(m), partition(p), recorder(r) {
    MPI_Request request;
    MPI_Comm_idup(parent, &comm, &request);
    wait_politely(request);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
  }
  ~Parts() { MPI_Comm_free(&comm); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  EngineOutcome run_engine(const RunOptions& options, StopRequests& stops, Checkpoints& checkpoints,
                           Profile& profile);
  void keep_rows(SimTime until);
  [[nodiscard]] WholeRun share_largest(SimTime end);
  SimTime end_components(SimTime end);
  void ask_waits(RunResult& result);
  void add_sums(const EngineOutcome& outcome, const Profile& profile, RunResult& result);

  const Model& model;
  Partition partition;
  Recorder& recorder;
  MPI_Comm comm{};
  int rank = 0, ranks = 1;
  std::optional<RankModel> rank_model;
  double build_s = 0;
  bool has_run = false;
};

Simulation::Simulation(const Model& model, const Partition& partition, MPI_Comm comm, Recorder& recorder)
    : parts_(std::make_unique<Parts>(model, partition, comm, recorder)) {
  const double before = wall_seconds();
  run_together(parts_->comm, SimTime{0}, [&] {
    LIGHTRAIL_EXPECT(partition.ranks == parts_->ranks);
    parts_->rank_model.emplace(model, partition, parts_->rank, recorder);
    if (model.components.size() >= large_model) use_large_pages();
  });
  parts_->build_s = reduce(wall_seconds() - before, MPI_DOUBLE, MPI_MAX, parts_->comm);
}

Simulation::~Simulation() = default;

EngineOutcome Simulation::Parts::run_engine(const RunOptions& options, StopRequests& stops,
                                            Checkpoints& checkpoints, Profile& profile) {
  ProgressPrinter printer(options.progress, options.progress_every_s, rank);
  const RunParts run{partition, *rank_model, recorder, comm, options, stops, checkpoints, printer, profile};
  try {
    return options.engine == Engine::reference ? run_reference_engine(run) : run_window_engine(run);
  } catch (const SimulationError& e) {
    keep_rows(e.time);
    throw;
  }
}

/// All ranks have the same SimulationError: what was recorded until then is kept, and the simulated failure
/// is the news in any case.
void Simulation::Parts::keep_rows(SimTime until) {
  try {
    recorder.flush(until);
  } catch (const IoError&) {
  }
}

/// What components agree on before they end; returns what the run stands for.
WholeRun Simulation::Parts::share_largest(SimTime end) {
  std::vector<std::int64_t> largest;
  run_together(comm, end, [&] {
    for (const std::uint32_t place : rank_model->places())
      rank_model->component(place).raise_largest(largest);
  });
  auto count = static_cast<std::int64_t>(largest.size());
  all_reduce(&count, 1, MPI_INT64_T, MPI_MAX, comm);
  if (count == 0) return {};
  largest.resize(static_cast<std::size_t>(count), INT64_MIN);
  all_reduce(largest.data(), static_cast<int>(count), MPI_INT64_T, MPI_MAX, comm);
  std::array<std::int64_t, 3> whole{0, 1, 1};
  for (const std::uint32_t place : rank_model->places()) {
    rank_model->component(place).hear_largest(largest);
    const WholeRun run = rank_model->component(place).whole_run();
    if (run.all > run.simulated) whole = {run.added.count(), run.simulated, run.all};
  }
  all_reduce(whole.data(), static_cast<int>(whole.size()), MPI_INT64_T, MPI_MAX, comm);
  return {SimTime{whole[0]}, whole[1], whole[2]};
}

/// Every component ends, whatever another one throws: so neither the error nor the rows depend on who is
/// where. Returns when the whole run ends.
SimTime Simulation::Parts::end_components(SimTime end) {
  const WholeRun whole = share_largest(end);
  end += whole.added;
  NoEvents none;
  std::optional<Failure> failure;
  for (const std::uint32_t place : rank_model->places()) {
    try {
      rank_model->finish(place, end, whole, none);
    } catch (...) {
      keep_first(failure, component_failure(model, rank_model->id_of(place), end));
    }
  }
  try {
    agree_on_failure(comm, failure);
  } catch (const SimulationError&) {
    keep_rows(end);
    throw;
  }
  run_together(comm, end, [&] { recorder.flush(end); });
  return end;
}

/// Who waits when nothing happens any more. One that cannot say keeps no other one's total from the rows.
void Simulation::Parts::ask_waits(RunResult& result) {
  try {
    DeadlockReport report = report_waits(*rank_model, result.end, comm);
    if (report.total > 0) result.status = RunStatus::deadlock;
    result.waits = std::move(report.waits);
    result.waits_total = report.total;
    if (!report.circle.empty()) result.waits.insert(result.waits.begin(), std::move(report.circle));
  } catch (...) {  // the same on all ranks
    end_components(result.end);
    throw;
  }
}

void Simulation::Parts::add_sums(const EngineOutcome& outcome, const Profile& profile, RunResult& result) {
  result.events = reduce(outcome.events, MPI_INT64_T, MPI_SUM, comm);
  result.hash = static_cast<std::uint64_t>(
      reduce(static_cast<std::int64_t>(rank_model->hash()), MPI_INT64_T, MPI_BXOR, comm));
  result.peak_rss_bytes = reduce(peak_rss(), MPI_INT64_T, MPI_SUM, comm);
  result.peak_pending = reduce(outcome.peak_pending, MPI_INT64_T, MPI_SUM, comm);
  const double work = profile.total().work_s;
  const double most = reduce(work, MPI_DOUBLE, MPI_MAX, comm), sum = reduce(work, MPI_DOUBLE, MPI_SUM, comm);
  result.imbalance = sum > 0 ? most * ranks / sum : 1;
  result.windows = outcome.windows;
  result.profile = profile.rows();
  result.build_s = build_s;
}

RunResult Simulation::run(const RunOptions& options) {
  Parts& p = *parts_;
  LIGHTRAIL_EXPECT(!p.has_run);
  p.has_run = true;
  if (options.engine == Engine::reference && p.ranks > 1)
    throw InputErrors(
        InputError{"", 0, fmt::format("engine 'reference' runs on one rank only ({} given)", p.ranks)});
  if (options.forecast && (options.engine == Engine::reference || p.ranks > 1))
    throw InputErrors(
        InputError{"", 0,
                   fmt::format("a forecast of more ranks is made by the window engine on one rank ({} given)",
                               p.ranks)});
  const double before = wall_seconds();
  const CoreTime cores_before = core_time();
  StopRequests stops(options.catch_signals,
                     options.exit_after_s);  // to the end: a second signal must not kill the flush
  Profile profile;
  Checkpoints checkpoints(options, *p.rank_model, p.recorder, p.comm);
  const EngineOutcome outcome = p.run_engine(options, stops, checkpoints, profile);

  RunResult result;
  result.checkpoint = checkpoints.newest();
  if (outcome.stop_code != 0) {
    result.status = RunStatus::stopped;
    result.stop_reason = StopRequests::name(outcome.stop_code);
    result.end = outcome.stopped_at;
  } else {
    result.end = outcome.has_events_left ? std::min(options.stop_at, outcome.stopped_at) : outcome.last_event;
  }
  if (!outcome.has_events_left) p.ask_waits(result);
  result.forecast = outcome.forecast;
  result.end = p.end_components(result.end);
  p.add_sums(outcome, profile, result);
  result.cores = sum_of(core_time() - cores_before, p.comm);
  result.wall_s = reduce(wall_seconds() - before, MPI_DOUBLE, MPI_MAX, p.comm);
  return result;
}

}  // namespace lightrail
