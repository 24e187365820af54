#include "components/gpu/transport/collective_memory.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "network/transport/tables.hpp"
#include "workloads/collective/recall_plan.hpp"

namespace lightrail {

std::unique_ptr<CollectiveMemory> CollectiveMemory::make(const BuildContext& build, PathHost& host) {
  const auto* plan = build.model.resource<RecallPlan>();
  const std::uint32_t gpu = host.self().value;
  if (!plan || gpu >= plan->circle_of.size() || plan->circle_of[gpu] == RecallPlan::none) return nullptr;
  return std::make_unique<CollectiveMemory>(host);
}

CollectiveMemory::CollectiveMemory(PathHost& host) : host_(host) {
  host_.listen(*this);
}

void CollectiveMemory::start(Context& context, const RecallableStart& start, bool is_at_rest) {
  if (!start.is_alone || start.delay > recall::Coming::max_delay) {
    (start.is_alone ? apart_ : beside_) += start.is_first;
    return;
  }
  LIGHTRAIL_EXPECT(stage_ == Stage::idle);  // what is alone comes one after the other
  stage_ = Stage::told;
  slot_ = start.slot;
  begin_ = context.now() + start.delay;
  const bool rests = is_at_rest && host_.is_nvlink_at_rest(context.now());
  context.send(GpuPort::nvlink, context.now(),
               to_payload(recall::Coming{.is_at_rest = rests,
                                         .alike = start.alike,
                                         .number = start.number,
                                         .delay_ps = static_cast<std::uint32_t>(start.delay.count())}));
}

std::optional<CollectiveMemory::Recalled> CollectiveMemory::on_answer(Context& context,
                                                                      const recall::Answer& answer) {
  LIGHTRAIL_EXPECT(stage_ == Stage::told && context.now() < begin_ && host_.is_nvlink_at_rest(context.now()));
  pattern_ = answer.pattern;
  if (pattern_ >= parts_.size()) parts_.resize(pattern_ + 1);
  const RecordedCollective& part = parts_[pattern_];
  if (answer.is_known != 0) {
    stage_ = Stage::recalled;
    unreported_ = answer.unreported;
    return Recalled{slot_, begin_ + part.set_at, begin_ + part.end};
  }
  stage_ = Stage::recorded;
  wakes_.clear();
  host_.egress().start_record(GpuPort::nvlink, begin_);
  return std::nullopt;
}

void CollectiveMemory::on_wake_set(SimTime now, Owner owner, SimTime end) {
  if (records(owner)) wakes_.push_back({end, now});
}

void CollectiveMemory::on_row(Owner owner, std::span<const std::int64_t> row) {
  if (!records(owner)) return;
  parts_[pattern_].rows.push_back(
      {row[0], row[2], row[3], picoseconds(row[4]) - begin_, picoseconds(row[5]) - begin_});
}

void CollectiveMemory::end(Context& context, std::uint32_t slot, SentPayload& sent, bool is_at_rest) {
  if (stage_ == Stage::idle || slot != slot_) return;
  if (stage_ == Stage::recorded) end_record(context, is_at_rest);
  if (stage_ == Stage::recalled) carry(context, sent);
  stage_ = Stage::idle;
}

/// It ends by a wake, of several for this time by the one that was set last.
void CollectiveMemory::end_record(Context& context, bool is_at_rest) {
  RecordedCollective& part = parts_[pattern_];
  part.line = host_.egress().take_record(GpuPort::nvlink);
  const auto wake = std::find_if(wakes_.rbegin(), wakes_.rend(),
                                 [&](const SetWake& each) { return each.end == context.now(); });
  const bool is_clean =
      is_at_rest && host_.is_nvlink_at_rest(context.now()) && part.line.is_plain && wake != wakes_.rend();
  const SimTime took = context.now() - begin_;
  const std::uint32_t least_allowed = part.line.least_allowed;
  if (is_clean) {
    part.set_at = wake->set_at - begin_;
    part.end = took;
  } else {
    part = RecordedCollective{};
  }
  wakes_.clear();
  context.send(
      GpuPort::nvlink, context.now(),
      to_payload(recall::Report{.is_clean = is_clean, .least_allowed = least_allowed, .took = took}));
}

void CollectiveMemory::carry(Context& context, SentPayload& sent) {
  const RecordedCollective& part = parts_[pattern_];
  sent += part.sent;
  host_.egress().carry(context, GpuPort::nvlink, part.line, begin_);
  host_.egress().set_owed(GpuPort::nvlink, unreported_);
  for (const RecordedCollective::Row& row : part.rows) {
    const std::array<std::int64_t, 6> values{
        row.from,          host_.self().value,          row.connection,
        row.payload_bytes, (begin_ + row.head).count(), (begin_ + row.end).count()};
    context.record_at(begin_ + row.head, tables::messages, values);
  }
}

void CollectiveMemory::finish(Context& context) const {
  record_recalled(context, RecallOutcome::beside, beside_);
  record_recalled(context, RecallOutcome::apart, apart_);
}

void CollectiveMemory::save(StateWriter& out) const {
  out.put(parts_.size());
  for (const RecordedCollective& part : parts_) part.save(out);
  out.put(stage_), out.put(slot_), out.put(pattern_), out.put(unreported_), out.put(begin_), out.put(wakes_);
  out.put(beside_), out.put(apart_);
}

void CollectiveMemory::load(StateReader& in) {
  std::size_t count = 0;
  in.get(count);
  parts_.assign(count, {});
  for (RecordedCollective& part : parts_) part.load(in);
  in.get(stage_), in.get(slot_), in.get(pattern_), in.get(unreported_), in.get(begin_), in.get(wakes_);
  in.get(beside_), in.get(apart_);
}

}  // namespace lightrail
