#include "engine/sync/reference_engine.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "engine/sync/failure.hpp"
#include "engine/sync/flush_clock.hpp"

namespace lightrail {
namespace {

class ReferenceEngine final : public EventSink {
 public:
  explicit ReferenceEngine(const RunParts& parts) : parts_(parts), flushes_(parts.recorder) {}

  void push(SimTime time, std::uint32_t tie, Payload payload, const OutLink& link) override {
    LIGHTRAIL_EXPECT(link.place < RankModel::remote);  // a port that is not connected
    queue_.push({{time, link.id, tie, payload}, link.place, link.to_port, 0});
  }

  EngineOutcome run() {
    started_ = wall_seconds();
    RankModel& model = parts_.model;
    if (parts_.options.resume)
      resume(*parts_.options.resume);
    else
      for (const std::uint32_t place : model.places())
        guard(place, SimTime{0}, [&] { model.start(place, *this); });
    while (!queue_.empty()) {
      const Delivery item = queue_.top();
      const SimTime now = item.event.time;
      if (failure_ && now > failure_->time) break;
      if (now >= parts_.options.stop_at) break;
      if (outcome_.events % 1024 == 0) ask(now);
      if (is_first_of(now) && !failure_) {
        flushes_.pass(now);
        if (parts_.checkpoints.is_on() &&
            (stop_code_ != 0 || wants_checkpoint_ || parts_.checkpoints.is_due(now)))
          write_checkpoint(now);
        if (stop_code_ != 0) {
          outcome_.stop_code = stop_code_;
          outcome_.stopped_at = now;
          break;
        }
        if (parts_.recorder.is_full()) {
          outcome_.stopped_at = now;
          break;
        }
      }
      queue_.pop();
      // Other components still handle their events of the same time, so that the failure is the one with the
      // smallest (time, component) whatever the order of links.
      if (failure_ && failure_->component == model.id_of(item.place)) continue;
      ++outcome_.events;
      handled_to_ = now;
      guard(item.place, now,
            [&] { outcome_.last_event = std::max(outcome_.last_event, model.handle(item, *this)); });
    }
    agree_on_failure(parts_.comm, failure_);
    outcome_.has_events_left = outcome_.stop_code != 0 ? !queue_.empty() : has_work_left();
    parts_.profile.add({0, 1, SimTime{0}, handled_to_, wall_seconds() - started_, 0, outcome_.events, 0, 0});
    return outcome_;
  }

 private:
  struct Later {
    bool operator()(const Delivery& x, const Delivery& y) const { return comes_before(y.event, x.event); }
  };

  template <class Call>
  void guard(std::uint32_t local, SimTime time, Call&& call) {
    try {
      call();
    } catch (...) {
      keep_first(failure_, component_failure(parts_.model.model(), parts_.model.id_of(local), time));
    }
  }

  /// Whether every event before `now` was handled and none at it.
  [[nodiscard]] bool is_first_of(SimTime now) const { return outcome_.events == 0 || now > handled_to_; }

  [[nodiscard]] bool has_work_left() const {
    for (auto rest = queue_; !rest.empty(); rest.pop())
      if (!parts_.model.is_idle_wake(rest.top())) return true;
    return false;
  }

  void resume(const CheckpointFile& file) {
    std::vector<PendingEvent> pending;
    const RunFacts facts = parts_.checkpoints.restore(file, pending);
    for (const PendingEvent& one : pending) queue_.push(parts_.model.deliver(one.event));
    flushes_.resume(facts.flush_boundary);
    outcome_.last_event = handled_to_ = facts.last_event;
    outcome_.events = facts.events;
    parts_.printer.start_at(facts.events);
    done_before_ = done_share(parts_.model, parts_.comm);
  }

  void write_checkpoint(SimTime now) {
    std::vector<PendingEvent> pending;
    for (auto rest = queue_; !rest.empty(); rest.pop())
      pending.push_back({rest.top().event, parts_.model.id_of(rest.top().place)});
    parts_.checkpoints.write({now, outcome_.last_event, flushes_.boundary(), outcome_.events},
                             std::move(pending));
    wants_checkpoint_ = false;
  }

  void ask(SimTime now) {
    stop_code_ = parts_.stops.code();
    wants_checkpoint_ = parts_.checkpoints.asks();
    outcome_.peak_pending = std::max(outcome_.peak_pending, static_cast<std::int64_t>(queue_.size()));
    const double wall = wall_seconds() - started_;
    if (wall >= next_check_s_) {
      parts_.recorder.check();
      next_check_s_ = wall + file_check_s;
    }
    if (parts_.printer.is_due(wall))
      parts_.printer.print({now, std::min(parts_.options.stop_at, parts_.options.expected_end), wall,
                            outcome_.events, 0, 1, done_share(parts_.model, parts_.comm), done_before_});
  }

  RunParts parts_;
  FlushClock flushes_;
  std::priority_queue<Delivery, std::vector<Delivery>, Later> queue_;
  std::optional<Failure> failure_;
  EngineOutcome outcome_;
  SimTime handled_to_{};  ///< of the last event, idle wakes included
  std::int64_t stop_code_ = 0;
  bool wants_checkpoint_ = false;
  double started_ = 0, next_check_s_ = file_check_s, done_before_ = 0;
};

}  // namespace

EngineOutcome run_reference_engine(const RunParts& parts) {
  return ReferenceEngine(parts).run();
}

}  // namespace lightrail
