#include "components/gpu/execution/steady_stretch.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/wide.hpp"

namespace lightrail {
namespace {

std::int64_t scaled(std::int64_t value, const SteppedOver& by) {
  return static_cast<std::int64_t>(Wide{value} * by.skipped / (by.measured / 2));
}
SimTime scaled(SimTime time, const SteppedOver& by) {
  return SimTime{scaled(time.count(), by)};
}

StepClock::Totals minus(const StepClock::Totals& a, const StepClock::Totals& b) {
  return {a.compute - b.compute, a.exposed - b.exposed, a.host - b.host, a.idle - b.idle};
}

/// Takes `time` from the largest parts.
void take_off(std::vector<ExposedTime::Part>& parts, SimTime time) {
  while (time > SimTime{0} && !parts.empty()) {
    const auto largest = std::max_element(
        parts.begin(), parts.end(),
        [](const ExposedTime::Part& a, const ExposedTime::Part& b) { return a.time < b.time; });
    const SimTime taken = std::min(time, largest->time);
    time -= taken, largest->time -= taken;
    if (taken == SimTime{0}) return;
  }
}

void save_step(const SteadyStretch::Step& step, StateWriter& out) {
  step.record.save(out);
  out.put(step.begin), out.put(step.middle), out.put(step.end);
  out.put(step.first), out.put(step.split), out.put(step.uses);
}
void load_step(SteadyStretch::Step& step, StateReader& in) {
  step.record.load(in);
  in.get(step.begin), in.get(step.middle), in.get(step.end);
  in.get(step.first), in.get(step.split), in.get(step.uses);
}

}  // namespace

void SteadyStretch::pass(std::uint32_t op, Figures figures) {
  if (op == stepped_over_.begin) {
    open_.begin = figures.at;
    open_.first = figures.split;
  } else if (op == stepped_over_.middle) {
    open_.middle = figures.at;
    open_.first = minus(figures.split, open_.first);
    middle_ = std::move(figures);
  } else {
    open_.end = figures.at;
    open_.split = minus(figures.split, middle_.split);
    open_.uses = std::move(figures.uses);
    for (const ExposedTime::Part& part : middle_.uses) time_of(open_.uses, part.key) -= part.time;
    open_sent_ = figures.sent - middle_.sent;
    middle_ = {};
  }
}

void SteadyStretch::end_step(StepRecord record) {
  LIGHTRAIL_EXPECT(open_.begin < open_.middle && open_.middle < open_.end);
  open_.record = std::move(record);
  sent_ += std::exchange(open_sent_, {});
  steps_.push_back(std::exchange(open_, {}));
}

void SteadyStretch::raise_largest(std::vector<std::int64_t>& largest) const {
  if (largest.size() < steps_.size()) largest.resize(steps_.size(), INT64_MIN);
  for (std::size_t i = 0; i < steps_.size(); ++i)
    largest[i] = std::max(largest[i], (steps_[i].end - steps_[i].middle).count());
}

void SteadyStretch::hear_largest(std::span<const std::int64_t> largest) {
  slowest_.clear();
  for (const std::int64_t time : largest) slowest_.emplace_back(time);
}

SimTime SteadyStretch::added_to(std::size_t i) const {
  return scaled(slowest_[i], stepped_over_);
}

StepRecord SteadyStretch::whole_step(std::size_t i) const {
  const Step& step = steps_[i];
  const SimTime added = added_to(i);
  StepRecord all = step.record;
  for (std::size_t before = 0; before < i; ++before)
    all.start += added_to(before), all.end += added_to(before);
  all.end += added;
  const StepClock::Totals more{scaled(step.split.compute, stepped_over_),
                               scaled(step.split.exposed, stepped_over_),
                               scaled(step.split.host, stepped_over_), SimTime{0}};
  all.split.compute += more.compute, all.split.exposed += more.exposed, all.split.host += more.host;
  all.split.idle += added - more.compute - more.exposed - more.host;
  if (all.uses.empty()) return all;
  SimTime rest = added;
  for (const ExposedTime::Part& part : step.uses) {
    const SimTime time = std::max(scaled(part.time, stepped_over_), SimTime{0});
    time_of(all.uses, part.key) += time;
    rest -= time;
  }
  if (rest > SimTime{0}) time_of(all.uses, {.use = TimeUse::idle}) += rest;
  // Sends and receives that had not ended at a marker were counted behind it.
  take_off(all.uses, -rest);
  std::erase_if(all.uses, [](const ExposedTime::Part& part) { return part.time == SimTime{0}; });
  return all;
}

std::vector<StepRecord> SteadyStretch::whole_steps() const {
  std::vector<StepRecord> all;
  for (std::size_t i = 0; i < steps_.size(); ++i) all.push_back(whole_step(i));
  return all;
}

SentPayload SteadyStretch::sent() const {
  SentPayload all = sent_;
  for (SentPayload::Counter& counter : all.by_dimension) {
    counter.bytes = scaled(counter.bytes, stepped_over_);
    counter.messages = scaled(counter.messages, stepped_over_);
  }
  for (auto& [receiver, bytes] : all.by_receiver) bytes = scaled(bytes, stepped_over_);
  return all;
}

void SteadyStretch::save(StateWriter& out) const {
  out.put(middle_.at), out.put(middle_.split), out.put(middle_.uses);
  middle_.sent.save(out), sent_.save(out), open_sent_.save(out);
  save_step(open_, out);
  out.put(steps_.size());
  for (const Step& step : steps_) save_step(step, out);
}

void SteadyStretch::load(StateReader& in) {
  in.get(middle_.at), in.get(middle_.split), in.get(middle_.uses);
  middle_.sent.load(in), sent_.load(in), open_sent_.load(in);
  load_step(open_, in);
  std::size_t count = 0;
  in.get(count);
  steps_.resize(count);
  for (Step& step : steps_) load_step(step, in);
}

}  // namespace lightrail
