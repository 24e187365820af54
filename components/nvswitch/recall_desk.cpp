#include "components/nvswitch/recall_desk.hpp"

#include <algorithm>
#include <utility>

#include "network/transport/tables.hpp"

namespace lightrail {
namespace {

/// In a key: whatever is owed of credits.
constexpr std::uint64_t any_credits = ~std::uint64_t{0};

}  // namespace

std::unique_ptr<RecallDesk> RecallDesk::make(const BuildContext& build, Crossbar& crossbar,
                                             std::span<const EndpointId> gpu_at) {
  const auto* plan = build.model.resource<RecallPlan>();
  if (!plan) return nullptr;
  auto desk = std::make_unique<RecallDesk>(build, crossbar, *plan, gpu_at);
  return desk->circles_.empty() ? nullptr : std::move(desk);
}

RecallDesk::RecallDesk(const BuildContext& build, Crossbar& crossbar, const RecallPlan& plan,
                       std::span<const EndpointId> gpu_at)
    : crossbar_(crossbar),
      max_runs_(plan.max_runs),
      circle_at_(gpu_at.size(), none),
      place_at_(gpu_at.size(), none) {
  for (std::size_t port = 0; port < gpu_at.size(); ++port) {
    in_latency_.emplace_back(0);
    const LinkId out = build.model.ports[build.record.first_port + port].out;
    const EndpointId gpu = gpu_at[port];
    if (!out.is_valid() || gpu.value >= plan.circle_of.size()) continue;
    in_latency_.back() = build.model.link_classes[build.model.links[out.value ^ 1].link_class].latency;
    const std::uint32_t number = plan.circle_of[gpu.value];
    if (number == RecallPlan::none) continue;
    auto circle = std::find_if(circles_.begin(), circles_.end(),
                               [number](const Circle& each) { return each.number == number; });
    if (circle == circles_.end()) {
      circles_.emplace_back();
      circles_.back().number = number;
      circles_.back().soonest = plan.circles[number].soonest;
      circle = circles_.end() - 1;
    }
    circle_at_[port] = static_cast<std::uint32_t>(circle - circles_.begin());
    place_at_[port] = static_cast<std::uint32_t>(circle->ports.size());
    circle->ports.push_back(static_cast<PortIndex>(port));
    circle->members.emplace_back();
  }
  for (Circle& circle : circles_) {
    LIGHTRAIL_EXPECT(circle.ports.size() == plan.circles[circle.number].members.size());
    circle.counts.assign(recall_outcomes, 0);
  }
}

void RecallDesk::on_coming(Context& context, const recall::Coming& coming, PortIndex port) {
  Circle& circle = circles_[circle_at_[port]];
  Member& self = circle.members[place_at_[port]];
  const auto count = [&](RecallOutcome outcome) { ++circle.counts[static_cast<std::size_t>(outcome)]; };
  // The one before it is over here, and not all had come to it.
  if (self.has_come != 0 && &self == &circle.members.front()) count(RecallOutcome::apart);
  self = {context.now() - in_latency_[port] + picoseconds(coming.delay_ps), coming.alike, coming.number, 1,
          coming.is_at_rest};
  for (const Member& other : circle.members)
    if (other.has_come == 0 || other.number != self.number || other.alike != self.alike) return;
  count(decide(context, circle));
  for (Member& member : circle.members) member.has_come = 0;
}

bool RecallDesk::is_at_rest(const Circle& circle, SimTime now) const {
  if (circle.at_hand != none) return false;  // what was recalled is not counted yet
  for (std::size_t i = 0; i < circle.ports.size(); ++i) {
    const PortIndex port = circle.ports[i];
    if (circle.members[i].is_at_rest == 0 || !crossbar_.egress().is_at_rest(port, now) ||
        crossbar_.inputs().free_at(port) > now)
      return false;
  }
  return true;
}

/// What each member does, by how much it is later than the first, and what it is owed.
std::vector<std::uint64_t> RecallDesk::key_of(const Circle& circle) const {
  std::vector<std::uint64_t> key;
  for (std::size_t i = 0; i < circle.ports.size(); ++i) {
    key.push_back(circle.members[i].alike);
    key.push_back(static_cast<std::uint64_t>((circle.members[i].begin - circle.base).count()));
    key.push_back(crossbar_.inputs().unreported(circle.ports[i]));
  }
  return key;
}

std::vector<std::uint64_t> RecallDesk::without_credits(std::vector<std::uint64_t> key) {
  for (std::size_t i = 2; i < key.size(); i += 3) key[i] = any_credits;
  return key;
}

std::uint32_t RecallDesk::unreported_then(const Circle& circle, std::size_t member) const {
  const PortIndex port = circle.ports[member];
  return circle.patterns[circle.at_hand].parts[member].freed.unreported_then(
      crossbar_.inputs().unreported(port), crossbar_.inputs().report_limit(port));
}

RecallOutcome RecallDesk::decide(Context& context, Circle& circle) {
  for (std::size_t i = 0; i < circle.ports.size(); ++i)
    if (context.now() + context.link(circle.ports[i]).latency >= circle.members[i].begin)
      return RecallOutcome::apart;
  if (!is_at_rest(circle, context.now())) return RecallOutcome::busy;
  circle.base = time_never;
  for (const Member& member : circle.members) circle.base = std::min(circle.base, member.begin);
  circle.key = key_of(circle);
  auto known = circle.known.find(without_credits(circle.key));
  if (known == circle.known.end()) known = circle.known.find(circle.key);
  if (known == circle.known.end()) {
    if (static_cast<std::size_t>(circle.runs) >= max_runs_) return RecallOutcome::full;
    start_record(context, circle);
    return RecallOutcome::first;
  }
  if (circle.patterns[known->second].rest == SimTime{0}) return RecallOutcome::unlike;
  circle.at_hand = known->second;
  answer(context, circle, true);
  context.wake(circle.base + circle.patterns[known->second].rest,
               to_payload(CarryWake{.circle = circle_at_[circle.ports.front()]}));
  return RecallOutcome::recalled;
}

void RecallDesk::start_record(Context& context, Circle& circle) {
  circle.at_hand = static_cast<std::uint32_t>(circle.patterns.size());
  circle.known.emplace(circle.key, circle.at_hand);
  circle.patterns.emplace_back().parts.resize(circle.ports.size());
  circle.is_recorded = 1;
  circle.reports = 0;
  circle.all_clean = circle.has_credits = 1;
  circle.first_end = time_never;
  circle.last_end = SimTime{0};
  for (std::size_t i = 0; i < circle.ports.size(); ++i) {
    crossbar_.egress().start_record(circle.ports[i], circle.base);
    circle.patterns.back().parts[i].unreported_before = crossbar_.inputs().unreported(circle.ports[i]);
  }
  answer(context, circle, false);
}

void RecallDesk::note(PortIndex port, std::uint32_t bytes) {
  const std::uint32_t number = port < circle_at_.size() ? circle_at_[port] : none;
  if (number == none || circles_[number].is_recorded == 0) return;
  Circle& circle = circles_[number];
  const SimTime free_at = crossbar_.inputs().free_at(port);
  circle.all_clean &= free_at != time_never;
  circle.patterns[circle.at_hand].parts[place_at_[port]].freed.add(bytes, free_at);
}

void RecallDesk::answer(Context& context, const Circle& circle, bool is_known) {
  for (std::size_t i = 0; i < circle.ports.size(); ++i)
    context.send(circle.ports[i], context.now(),
                 to_payload(recall::Answer{.is_known = is_known,
                                           .pattern = circle.at_hand,
                                           .unreported = is_known ? unreported_then(circle, i) : 0}));
}

void RecallDesk::on_report(Context& context, const recall::Report& report, PortIndex port) {
  Circle& circle = circles_[circle_at_[port]];
  LIGHTRAIL_EXPECT(circle.is_recorded != 0);
  const SimTime end = circle.members[place_at_[port]].begin + report.took;
  circle.first_end = std::min(circle.first_end, end);
  circle.last_end = std::max(circle.last_end, end);
  circle.all_clean &= report.is_clean;
  // What is owed is less than the report limit, and of what is free at one time credits may come before or
  // behind what the sender does then: by so much it may have fewer another time.
  const std::uint64_t fewer = std::uint64_t{crossbar_.inputs().report_limit(port)} - 1 +
                              circle.patterns[circle.at_hand].parts[place_at_[port]].freed.most_at_once();
  circle.has_credits &= report.least_allowed >= fewer;
  if (++circle.reports == circle.ports.size()) end_record(context, circle);
  // The simulated switch hears nothing: a run that ends with the collective is none longer for it.
  context.count_as_idle();
}

/// All have ended, so that what they sent has come in here: their lines were at rest when they said so.
void RecallDesk::end_record(Context& context, Circle& circle) {
  SimTime rest = circle.base, heard{};
  RecallPattern& pattern = circle.patterns[circle.at_hand];
  bool is_kept = circle.all_clean != 0;
  std::int64_t runs = 0;
  for (std::size_t i = 0; i < circle.ports.size(); ++i) {
    const PortIndex port = circle.ports[i];
    RecallPart& part = pattern.parts[i];
    part.line = crossbar_.egress().take_record(port);
    const SimTime left = crossbar_.inputs().free_at(port);
    is_kept &= part.line.is_plain && !crossbar_.egress().has_waiting(port) && left != time_never;
    // The last byte and the last credits are at the GPU.
    if (is_kept)
      rest = std::max(rest, std::max(crossbar_.egress().free_at(port), left) + context.link(port).latency);
    heard = std::max(heard, in_latency_[port]);
    runs += static_cast<std::int64_t>(part.line.runs.size());
    is_kept &= part.freed.unreported_then(part.unreported_before, crossbar_.inputs().report_limit(port)) ==
               crossbar_.inputs().unreported(port);
  }
  // Whatever a member does next has its first byte later: nothing else was in this, and nothing will be.
  is_kept &= rest <= circle.last_end && circle.last_end + heard < circle.first_end + circle.soonest;
  if (is_kept) {
    pattern.rest = rest - circle.base;
    circle.runs += runs;
  } else {
    pattern.parts.clear();
  }
  if (!is_kept || circle.has_credits != 0) circle.known.emplace(without_credits(circle.key), circle.at_hand);
  circle.at_hand = none;
  circle.is_recorded = 0;
}

void RecallDesk::on_wake(Context& context, const CarryWake& wake) {
  Circle& circle = circles_[wake.circle];
  const RecallPattern& pattern = circle.patterns[circle.at_hand];
  for (std::size_t i = 0; i < circle.ports.size(); ++i) {
    const PortIndex port = circle.ports[i];
    crossbar_.egress().carry(context, port, pattern.parts[i].line, circle.base);
    crossbar_.inputs().set_unreported(port, unreported_then(circle, i));
  }
  circle.at_hand = none;
}

void RecallDesk::finish(Context& context) {
  std::vector<std::int64_t> counts(recall_outcomes);
  for (const Circle& circle : circles_) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += circle.counts[i];
    if (circle.members.front().has_come != 0) ++counts[static_cast<std::size_t>(RecallOutcome::apart)];
  }
  for (std::size_t i = 0; i < counts.size(); ++i)
    record_recalled(context, static_cast<RecallOutcome>(i), counts[i]);
}

void RecallDesk::save(StateWriter& out) const {
  for (const Circle& circle : circles_) {
    out.put(circle.members), out.put(circle.known), out.put(circle.patterns.size());
    for (const RecallPattern& pattern : circle.patterns) pattern.save(out);
    out.put(circle.at_hand), out.put(circle.is_recorded), out.put(circle.reports);
    out.put(circle.all_clean), out.put(circle.has_credits), out.put(circle.key), out.put(circle.base);
    out.put(circle.first_end), out.put(circle.last_end), out.put(circle.runs), out.put(circle.counts);
  }
}

void RecallDesk::load(StateReader& in) {
  for (Circle& circle : circles_) {
    std::size_t count = 0;
    in.get(circle.members), in.get(circle.known), in.get(count);
    circle.patterns.assign(count, {});
    for (RecallPattern& pattern : circle.patterns) pattern.load(in);
    in.get(circle.at_hand), in.get(circle.is_recorded), in.get(circle.reports);
    in.get(circle.all_clean), in.get(circle.has_credits), in.get(circle.key), in.get(circle.base);
    in.get(circle.first_end), in.get(circle.last_end), in.get(circle.runs), in.get(circle.counts);
  }
}

}  // namespace lightrail
