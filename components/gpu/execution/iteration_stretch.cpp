#include "components/gpu/execution/iteration_stretch.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace lightrail {
namespace {

StepClock::Activity minus(const StepClock::Activity& a, const StepClock::Activity& b) {
  return {a.compute - b.compute, a.memory - b.memory, a.communication - b.communication, a.idle - b.idle};
}

}  // namespace

void IterationStretch::end_iteration(StepRecord record, Figures figures) {
  if (steps_.size() == by_.settling) {
    one_ = std::move(figures);
  } else if (steps_.size() == by_.settling + 1) {
    one_.activity = minus(figures.activity, one_.activity);
    one_.sent = figures.sent - one_.sent;
  }
  steps_.push_back(std::move(record));
}

void IterationStretch::raise_largest(std::vector<std::int64_t>& largest) const {
  // Behind the figures of SteadyStretch, one a simulated iteration.
  const std::size_t period = by_.simulated(), missing = period + 1;
  if (largest.size() <= missing) largest.resize(missing + 1, INT64_MIN);
  largest[missing] = std::max(largest[missing], static_cast<std::int64_t>(by_.simulated() - steps_.size()));
  if (steps_.size() == by_.simulated())
    largest[period] = std::max(largest[period], steps_[by_.settling + 1].time().count());
}

void IterationStretch::hear_largest(std::span<const std::int64_t> largest) {
  LIGHTRAIL_EXPECT(largest.size() > by_.simulated() + 1);
  if (largest[by_.simulated() + 1] == 0) period_ = SimTime{largest[by_.simulated()]};
}

std::vector<StepRecord> IterationStretch::all(std::vector<StepRecord> simulated) const {
  if (!is_whole()) return simulated;
  StepRecord last = std::move(simulated.back());
  simulated.pop_back();
  const SimTime time = simulated.back().time();
  const SimTime idle = period_ - steps_[by_.settling + 1].time();
  StepRecord next = simulated.back();
  next.split.idle += idle;
  if (!next.uses.empty() && idle > SimTime{0}) time_of(next.uses, {.use = TimeUse::idle}) += idle;
  for (std::uint32_t i = 0; i < by_.skipped; ++i) {
    next.start = simulated.back().end;
    next.end = next.start + time + idle;
    simulated.push_back(next);
  }
  last.end += simulated.back().end - last.start;
  last.start = simulated.back().end;
  simulated.push_back(std::move(last));
  return simulated;
}

SimTime IterationStretch::difference() const {
  const StepRecord &one = steps_[by_.settling], &other = steps_[by_.settling + 1];
  return std::max(largest_difference(one.split, other.split), largest_difference(one.uses, other.uses));
}

StepClock::Activity IterationStretch::activity() const {
  if (!is_whole()) return {};
  const StepClock::Activity& one = one_.activity;
  const SimTime idle = one.idle + period_ - steps_[by_.settling + 1].time();
  const auto skipped = static_cast<std::int64_t>(by_.skipped);
  return {one.compute * skipped, one.memory * skipped, one.communication * skipped, idle * skipped};
}

SentPayload IterationStretch::sent() const {
  return is_whole() ? one_.sent.times(by_.skipped) : SentPayload{};
}

WholeRun IterationStretch::whole_run() const {
  if (!is_whole()) return {};
  return {period_ * static_cast<std::int64_t>(by_.skipped), by_.simulated(),
          std::int64_t{by_.simulated()} + by_.skipped};
}

void IterationStretch::save(StateWriter& out) const {
  out.put(one_.activity), one_.sent.save(out);
  out.put(steps_.size());
  for (const StepRecord& step : steps_) step.save(out);
}

void IterationStretch::load(StateReader& in) {
  in.get(one_.activity), one_.sent.load(in);
  std::size_t count = 0;
  in.get(count);
  steps_.resize(count);
  for (StepRecord& step : steps_) step.load(in);
}

}  // namespace lightrail
