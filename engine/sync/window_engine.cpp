#include "engine/sync/window_engine.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/polite_wait.hpp"
#include "engine/sync/exchange.hpp"
#include "engine/sync/failure.hpp"
#include "engine/sync/flush_clock.hpp"
#include "engine/sync/slice_queue.hpp"

namespace lightrail {
namespace {

constexpr std::int64_t slices_alone =
    16;  // about as many slices a window when no link is cut: how often stop requests are seen

/// Widths of windows and slices: windows are a whole number of slices.
struct Grid {
  SimTime slice{};
  std::int64_t slices_a_window = slices_alone;

  Grid(const RankModel& model, const Partition& partition, const RunOptions& options) {
    const SimTime widest = options.window.count() > 0 ? options.window : time_never;
    const SimTime window = std::min(widest, partition.lookahead);
    slice = std::min(window, model.smallest_latency());
    if (slice == time_never) slice = microseconds(1);  // no links: any width will do
    if (window == time_never) return;
    slices_a_window = (window.count() - 1) / slice.count() + 1;
    slice = SimTime{window.count() / slices_a_window};
  }
};

class WindowEngine final : public EventSink {
 public:
  explicit WindowEngine(const RunParts& parts)
      : parts_(parts),
        model_(parts.model),
        grid_(parts.model, parts.partition, parts.options),
        queue_(parts.model, grid_.slice, parts.options.block),
        exchange_(parts.model.model(), parts.partition, parts.comm),
        flushes_(parts.recorder) {
    // On one rank only: the windows of several must be the same, and their tiles differ.
    if (parts.partition.ranks == 1 && parts.options.window.count() == 0)
      grid_.slices_a_window =
          std::max<std::int64_t>(slices_alone / queue_.tile_slices(), 1) * queue_.tile_slices();
    if (parts.options.forecast)
      forecast_ = std::make_unique<Forecaster>(*this, parts.model.model(), *parts.options.forecast);
  }

  void push(SimTime time, std::uint32_t tie, Payload payload, const OutLink& link) override {
    if (!(link.place & RankModel::remote) && time >= drained_to_) [[likely]]
      if (Delivery* const filed = queue_.add_quickly(time, link.place)) [[likely]]
        return file(*filed, time, tie, payload, link);
    push_slowly(time, tie, payload, link);
  }

  EngineOutcome run();

 private:
  [[gnu::always_inline]] static void file(Delivery& filed, SimTime time, std::uint32_t tie, Payload payload,
                                          const OutLink& link) {
    filed.event.time = time;
    filed.event.link = link.id;
    filed.event.tie = tie;
    std::memcpy(static_cast<void*>(&filed.event.payload), &payload,
                sizeof payload);  // whole words, not field by field
    filed.place = link.place;
    filed.port = link.to_port;
    filed.unused = 0;
  }
  [[gnu::noinline]] void push_slowly(SimTime time, std::uint32_t tie, Payload payload, const OutLink& link) {
    if (link.place & RankModel::remote) {
      LIGHTRAIL_EXPECT(link.place != RankModel::nowhere && time >= window_end_);
      exchange_.put({time, link.id, tie, payload}, link.place & ~RankModel::remote);
    } else if (time < drained_to_) {
      LIGHTRAIL_EXPECT(link.place == active_);  // only own events may land in the slice that runs
      own_.push({time, link.id, tie, payload});
    } else {
      file(queue_.add(time, link.place), time, tie, payload, link);
    }
  }
  /// Exchanges events and facts with the other ranks; the same answer on all of them.
  WindowFacts turn();
  /// Every few seconds: whether the recorder's files are still there.
  void check_files(double wall, SimTime next);
  void resume(const CheckpointFile& file);
  /// Every event before `start` was handled and the next event anywhere is there.
  void write_checkpoint(SimTime start);
  void print_progress(SimTime now);
  /// Whether events other than idle wakes wait anywhere. Collective.
  [[nodiscard]] bool has_work_left();
  void work(SimTime start);
  /// What `local` sends goes through `sink`. Returns how many events it handled.
  std::int64_t run_component(std::uint32_t local, std::span<const Delivery> events, EventSink& sink);
  void run_counted(std::uint32_t local, std::span<const Delivery> events);
  template <class Call>
  void guard(Call&& call) {
    try {
      call();
    } catch (...) {
      own_.clear();
      fail(component_failure(model_.model(), model_.id_of(active_), now_));
    }
  }
  /// Rows of the windows that have ended, up to the failure of one of them.
  void hand_over_rows(SimTime last = time_never) {
    try {
      model_.rows().hand_over(last);
    } catch (...) {
      fail(component_failure(model_.model(), model_.rows().component(), model_.rows().made()));
    }
  }
  void fail(Failure failure) { keep_first(failure_, std::move(failure)); }

  /// Stands between components and the engine while a forecast is made.
  struct Forecaster final : EventSink {
    Forecaster(WindowEngine& e, const Model& model, const ForecastPlan& plan)
        : engine(e), recorder(model, plan) {}
    void push(SimTime time, std::uint32_t tie, Payload payload, const OutLink& link) override {
      recorder.count_sent(link.id);
      engine.push(time, tie, payload, link);
    }
    WindowEngine& engine;
    ForecastRecorder recorder;
  };

  RunParts parts_;
  RankModel& model_;
  Grid grid_;
  SliceQueue queue_;
  Exchange exchange_;
  FlushClock flushes_;
  OwnEvents own_;
  SimTime drained_to_{0};  // events before this that are pushed now belong to own_
  SimTime window_end_{0};
  std::uint32_t active_ = 0;
  SimTime now_{};
  std::optional<Failure> failure_;
  std::unique_ptr<Forecaster> forecast_;
  EngineOutcome outcome_;
  double started_ = 0, done_before_ = 0;
  double next_check_s_ = file_check_s;
};

EngineOutcome WindowEngine::run() {
  started_ = wall_seconds();
  if (parts_.options.resume)
    resume(*parts_.options.resume);
  else
    for (const std::uint32_t place : model_.places()) {
      active_ = place;
      guard([&] { model_.start(place, *this); });
    }
  for (double before = started_;;) {
    const std::int64_t sent_events = exchange_.sent_events(), sent_bytes = exchange_.sent_bytes();
    const WindowFacts all = turn();
    const double turned = wall_seconds();
    hand_over_rows(SimTime{all.failed_at});
    if (all.failed_at != time_never.count()) agree_on_failure(parts_.comm, failure_);
    const SimTime start{all.next_time};
    outcome_.has_events_left = start != time_never;
    if (!outcome_.has_events_left) break;
    if (start >= parts_.options.stop_at) {
      outcome_.has_events_left = has_work_left();
      break;
    }
    if (parts_.checkpoints.is_on() &&
        (all.stop != 0 || all.asks_checkpoint != 0 || parts_.checkpoints.is_due(start)))
      write_checkpoint(start);
    if (all.stop != 0) {
      outcome_.stop_code = -all.stop;
      outcome_.stopped_at = start;
      break;
    }
    if (all.needs_rows == 0) {
      outcome_.stopped_at = start;
      break;
    }
    if (all.asks_progress != 0) print_progress(start);
    outcome_.peak_pending = std::max(outcome_.peak_pending, queue_.pending());
    const std::int64_t events = outcome_.events;
    work(start);
    const double worked = wall_seconds();
    parts_.profile.add({outcome_.windows++, 1, start, window_end_, worked - turned, turned - before,
                        outcome_.events - events, exchange_.sent_events() - sent_events,
                        exchange_.sent_bytes() - sent_bytes});
    before = worked;
  }
  agree_on_failure(parts_.comm, failure_);  // of rows that came with the last turn
  std::int64_t last = outcome_.last_event.count();
  all_reduce(&last, 1, MPI_INT64_T, MPI_MAX, parts_.comm);
  outcome_.last_event = SimTime{last};
  if (forecast_) outcome_.forecast = forecast_->recorder.rows(parts_.profile.total().work_s);
  return outcome_;
}

WindowFacts WindowEngine::turn() {
  WindowFacts mine;
  mine.next_time = queue_.next_time().count();
  const double wall = wall_seconds() - started_;
  check_files(wall, SimTime{mine.next_time});
  if (failure_) mine.failed_at = failure_->time.count();
  mine.stop = -parts_.stops.code();
  mine.asks_progress = parts_.printer.is_due(wall) ? -1 : 0;
  mine.asks_checkpoint = parts_.checkpoints.asks() ? -1 : 0;
  mine.needs_rows = parts_.recorder.is_full() ? 0 : -1;
  const WindowFacts all = exchange_.turn(outcome_.windows, mine);
  exchange_.for_each_received([&](const Event& event) { queue_.push(model_.deliver(event)); });
  return all;
}

void WindowEngine::check_files(double wall, SimTime next) {
  if (wall < next_check_s_) return;
  next_check_s_ = wall + file_check_s;
  try {
    parts_.recorder.check();
  } catch (...) {
    fail({std::min(next, window_end_), {}, std::current_exception()});
  }
}

void WindowEngine::resume(const CheckpointFile& file) {
  std::vector<PendingEvent> pending;
  const RunFacts facts = parts_.checkpoints.restore(file, pending);
  for (const PendingEvent& one : pending) queue_.push(model_.deliver(one.event));
  flushes_.resume(facts.flush_boundary);
  outcome_.last_event = facts.last_event;
  outcome_.events = facts.events;
  parts_.printer.start_at(facts.events);
  done_before_ = done_share(model_, parts_.comm);
}

void WindowEngine::write_checkpoint(SimTime start) {
  agree_on_failure(parts_.comm, failure_);  // of rows that came with this turn: it would be without them
  run_together(parts_.comm, start, [&] { flushes_.pass(start); });
  std::vector<PendingEvent> pending;
  queue_.for_each([&](const Delivery& one) { pending.push_back({one.event, model_.id_of(one.place)}); });
  parts_.checkpoints.write({start, outcome_.last_event, flushes_.boundary(), outcome_.events},
                           std::move(pending));
}

bool WindowEngine::has_work_left() {
  std::int32_t has_work = 0;
  queue_.for_each([&](const Delivery& one) { has_work |= model_.is_idle_wake(one) ? 0 : 1; });
  all_reduce(&has_work, 1, MPI_INT32_T, MPI_MAX, parts_.comm);
  return has_work != 0;
}

void WindowEngine::work(SimTime start) {
  try {
    flushes_.pass(start);
  } catch (...) {
    fail({start, {}, std::current_exception()});
  }
  const Slicer& slicer = queue_.slicer();
  const SimTime widest = slicer.start_of(slicer.slice_of(start) + grid_.slices_a_window);
  window_end_ =
      std::min({widest, flushes_.boundary(), parts_.checkpoints.boundary(), parts_.options.stop_at});
  // A tile goes on to the end of the slice in which another one failed: the first failure counts.
  const auto enter = [this](SimTime from, SimTime to) {
    if (failure_ && from > failure_->time) return false;
    drained_to_ = to;
    if (forecast_) forecast_->recorder.go_to(from);
    return true;
  };
  while (!failure_ && queue_.next_time() < window_end_) {
    if (forecast_) {
      forecast_->recorder.end_before(slicer.start_of(slicer.slice_of(queue_.next_time())));
      queue_.drain(window_end_, enter, [this](std::uint32_t local, std::span<const Delivery> events) {
        run_counted(local, events);
      });
      continue;
    }
    queue_.drain(
        window_end_, enter,
        [this](std::uint32_t local, std::span<const Delivery> events) {
          run_component(local, events, *this);
        },
        [this] { exchange_.send_ahead(outcome_.windows + 1); });
  }
}

std::int64_t WindowEngine::run_component(std::uint32_t local, std::span<const Delivery> events,
                                         EventSink& sink) {
  active_ = local;
  std::int64_t count = 0;
  guard([&] { count = model_.handle_all(local, events, own_, sink, now_); });
  outcome_.events += count;
  outcome_.last_event = std::max(outcome_.last_event, now_);
  return count;
}

void WindowEngine::run_counted(std::uint32_t local, std::span<const Delivery> events) {
  ForecastRecorder& forecast = forecast_->recorder;
  const bool is_timed = forecast.wants_time();
  const double before = is_timed ? wall_seconds() : 0;
  const std::int64_t count = run_component(local, events, *forecast_);
  forecast.count(model_.id_of(local), count, is_timed ? wall_seconds() - before : 0);
}

void WindowEngine::print_progress(SimTime now) {
  const auto work_us = static_cast<std::int64_t>(parts_.profile.total().work_s * 1e6);
  std::int64_t sums[2] = {outcome_.events, work_us}, largest = work_us;
  all_reduce(sums, 2, MPI_INT64_T, MPI_SUM, parts_.comm);
  all_reduce(&largest, 1, MPI_INT64_T, MPI_MAX, parts_.comm);
  const double done = done_share(model_, parts_.comm);
  const double wall = wall_seconds() - started_;
  if (!parts_.printer.is_due(wall)) return;  // the other ranks
  const double mean = static_cast<double>(sums[1]) / parts_.partition.ranks;
  parts_.printer.print({now, std::min(parts_.options.stop_at, parts_.options.expected_end), wall, sums[0], 0,
                        mean > 0 ? static_cast<double>(largest) / mean : 1, done, done_before_});
}

}  // namespace

EngineOutcome run_window_engine(const RunParts& parts) {
  return WindowEngine(parts).run();
}

}  // namespace lightrail
