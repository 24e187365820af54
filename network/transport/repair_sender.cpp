#include "network/transport/repair_sender.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.hpp"

namespace lightrail {

Frame RepairSender::leaving(const Frame& frame, std::uint16_t source, SimTime at) {
  if (NumberedTrain::carries(frame.kind)) {
    leaving_again(frame, at);
    return with_value(frame);
  }
  const bool is_repaired = frame.kind == MessageKind::train || frame.kind == MessageKind::control;
  return is_repaired && is_lossy(frame.lane) ? with_value(leaving_first(frame, source, at)) : frame;
}

/// As it is on the wire.
Frame RepairSender::with_value(const Frame& frame) {
  if (!values_) return frame;
  Frame sent = frame;
  sent.detail = static_cast<std::uint16_t>(sent.detail | values_->next(frame.address.word()));
  return sent;
}

Frame RepairSender::leaving_first(const Frame& frame, std::uint16_t source, SimTime at) {
  std::uint32_t slot = index_.find(frame.address.word());
  if (slot == none) {
    slot = static_cast<std::uint32_t>(flows_.size());
    index_.insert(frame.address.word(), slot);
    flows_.emplace_back();
  }
  Flow& flow = flows_[slot];
  if (flow.first == none)
    flow.progress_at = at;
  else if (!has_numbers(flow))
    throw SimulationError(at, name_,
                          fmt::format("a flow has {} trains on the way on class {}, which is not lossless: "
                                      "more than numbers tell apart",
                                      NumberedTrain::most_outstanding(settings_.entropy_values), frame.lane));
  const Frame numbered = frame_of(NumberedTrain::of(frame, flow.next_number));
  flow.next_number = static_cast<std::uint16_t>(flow.next_number + settings_.entropy_values);
  std::uint32_t place = free_;
  if (place == none) {
    place = static_cast<std::uint32_t>(sent_.size());
    sent_.emplace_back();
  } else {
    free_ = sent_[place].next;
  }
  sent_[place] = {.frame = numbered, .at = at, .order = order_++, .source = source};
  (flow.first == none ? flow.first : sent_[flow.last].next) = place;
  flow.last = place;
  flow.in_flight += frame.bytes;
  ++counts_[frame.lane].trains;
  return numbered;
}

void RepairSender::leaving_again(const Frame& frame, SimTime at) {
  ++counts_[frame.lane].again;
  counts_[frame.lane].again_bytes += frame.bytes;
  Flow& flow = flows_[index_.find(frame.address.word())];
  --flow.queued;
  Sent* sent = find(flow, number_of(frame));
  if (!sent) return;  // acknowledged while it waited for the line
  sent->at = at;
  sent->order = order_++;
  if (sent->is_queued != 0 && sent->is_there == 0) flow.in_flight += frame.bytes;
  sent->is_queued = 0;
  sent->was_repeated = 1;
}

bool RepairSender::keep(const Frame& frame, std::uint64_t token) {
  if (!settings_.completes_by_acknowledgement || !NumberedTrain::carries(frame.kind) || token == no_token)
    return false;
  Flow& flow = flows_[index_.find(frame.address.word())];
  sent_[flow.last].token = static_cast<std::uint32_t>(token);
  return true;
}

RepairSender::Sent* RepairSender::find(const Flow& flow, std::uint16_t number) {
  for (std::uint32_t place = flow.first; place != none; place = sent_[place].next)
    if (number_of(sent_[place].frame) == number) return &sent_[place];
  return nullptr;
}

/// It is there, which was not known.
void RepairSender::arrive(Flow& flow, Sent& sent, SimTime now) {
  sent.is_there = 1;
  if (sent.is_queued == 0) flow.in_flight -= sent.frame.bytes;
  flow.progress_at = now;
  flow.retries = 0;
  answer_.arrived += sent.frame.bytes;
  answer_.sent_at = sent.was_repeated != 0 ? std::nullopt : std::optional(sent.at);
}

void RepairSender::release_first(Flow& flow) {
  const std::uint32_t place = flow.first;
  if (sent_[place].token != no_token) answer_.complete.push_back(sent_[place].token);
  flow.first = sent_[place].next;
  if (flow.first == none) flow.last = none;
  sent_[place].next = free_;
  free_ = place;
}

/// All before `number` are there. Returns the highest order of those that were not known to be.
std::int64_t RepairSender::release_before(Flow& flow, std::uint16_t number, SimTime now) {
  std::int64_t order = -1;
  while (flow.first != none && distance(number_of(sent_[flow.first].frame), number) < 0) {
    Sent& sent = sent_[flow.first];
    if (sent.is_there == 0 && sent.is_queued == 0) order = std::max(order, sent.order);
    if (sent.is_there == 0) arrive(flow, sent, now);
    flow.progress_at = now;
    flow.retries = 0;
    release_first(flow);
  }
  return order;
}

/// That one is there, perhaps not all before it.
void RepairSender::on_there(Flow& flow, std::uint16_t number, SimTime now) {
  Sent* sent = find(flow, number);
  if (!sent || sent->is_there != 0) return;
  arrive(flow, *sent, now);
  if (settings_.repair == LossRepair::selective_repeat) {
    if (sent->is_queued == 0) queue_sent_before(flow, sent->order);
    return;
  }
  while (flow.first != none && sent_[flow.first].is_there != 0) release_first(flow);
}

void RepairSender::queue(Flow& flow, Sent& sent) {
  if (sent.is_queued != 0 || sent.is_there != 0) return;
  sent.is_queued = 1;
  ++flow.queued;
  flow.in_flight -= sent.frame.bytes;
  answer_.again.push_back({sent.frame, sent.source});
}

void RepairSender::queue_sent_before(Flow& flow, std::int64_t order) {
  for (std::uint32_t place = flow.first; place != none; place = sent_[place].next)
    if (sent_[place].order < order) queue(flow, sent_[place]);
}

void RepairSender::queue_all(Flow& flow) {
  for (std::uint32_t place = flow.first; place != none; place = sent_[place].next) queue(flow, sent_[place]);
}

RepairSender::Forgotten RepairSender::forget(const Address& address) {
  Forgotten forgotten;
  const std::uint32_t slot = index_.find(address.word());
  if (slot == none) return forgotten;
  Flow& flow = flows_[slot];
  answer_ = {};
  for (; flow.first != none; release_first(flow))
    if (const Sent& sent = sent_[flow.first]; sent.is_there == 0 && is_payload(sent.frame.kind))
      forgotten.bytes += sent.frame.bytes;
  forgotten.tokens = std::move(answer_.complete);
  flow.in_flight = 0;
  flow.has_timer = 0;
  return forgotten;
}

const RepairSender::Answer* RepairSender::on_acknowledgement(const Acknowledgement& message, SimTime now) {
  const Address own(message.address.to(), message.address.from(), message.address.connection());
  const std::uint32_t slot = index_.find(own.word());
  if (slot == none) return nullptr;
  Flow& flow = flows_[slot];
  answer_ = {.value = settings_.value_in(message.number)};
  const std::uint16_t number = settings_.number_in(message.number);
  const bool is_of_one =
      settings_.repair == LossRepair::trimming && message.kind == MessageKind::marked_acknowledgement;
  if (is_of_one || message.kind == MessageKind::selective_acknowledgement) {
    on_there(flow, number, now);
    return &answer_;
  }
  if (message.kind == MessageKind::trim_notice) {
    if (Sent* sent = find(flow, number)) queue(flow, *sent);
    return &answer_;
  }
  const std::int64_t order = release_before(flow, number, now);
  if (message.kind == MessageKind::sequence_error)
    queue_all(flow);
  else if (settings_.repair == LossRepair::selective_repeat)
    queue_sent_before(flow, order);
  return &answer_;
}

std::int64_t RepairSender::in_flight(std::uint64_t flow) const {
  const std::uint32_t slot = index_.find(flow);
  return slot == none ? 0 : flows_[slot].in_flight;
}

/// Those between the first one that is not acknowledged and the next one are told apart.
bool RepairSender::has_numbers(const Flow& flow) const {
  if (flow.first == none) return true;
  const auto used = static_cast<std::uint16_t>(flow.next_number - number_of(sent_[flow.first].frame));
  return used < NumberedTrain::max_outstanding - settings_.entropy_values;
}

bool RepairSender::may_send(std::uint64_t flow) const {
  const std::uint32_t slot = index_.find(flow);
  return slot == none || flows_[slot].queued > 0 || has_numbers(flows_[slot]);
}

std::optional<SimTime> RepairSender::start_timer(const Address& address) {
  const std::uint32_t slot = index_.find(address.word());
  if (slot == none) return std::nullopt;
  Flow& flow = flows_[slot];
  if (flow.has_timer != 0 || flow.first == none) return std::nullopt;
  flow.has_timer = 1;
  return flow.progress_at + settings_.timeout;
}

/// When what has been on the way longest was sent; now, where all waits to be sent again. What waits may do
/// so for a window that what was lost on the way fills: it does not put off the timer.
SimTime RepairSender::oldest_on_the_way(const Flow& flow, SimTime now) const {
  for (std::uint32_t place = flow.first; place != none; place = sent_[place].next)
    if (sent_[place].is_queued == 0 && sent_[place].is_there == 0) return sent_[place].at;
  return now;
}

RepairSender::Timeout RepairSender::on_timer(const Address& address, SimTime now) {
  Flow& flow = flows_[index_.find(address.word())];
  answer_ = {};
  Timeout answer{.again = &answer_.again};
  if (flow.first == none) {
    flow.has_timer = 0;
    return answer;
  }
  const SimTime due = std::max(oldest_on_the_way(flow, now), flow.progress_at) + settings_.timeout;
  if (due > now) {
    answer.ask_again = due;
    return answer;
  }
  ++counts_[sent_[flow.first].frame.lane].timeouts;
  answer.is_broken = flow.retries == settings_.retries;
  ++flow.retries;
  flow.progress_at = now;
  queue_all(flow);
  answer.ask_again = now + settings_.timeout;
  return answer;
}

bool RepairSender::is_idle(const Address& address) const {
  const std::uint32_t slot = index_.find(address.word());
  return slot == none || flows_[slot].first == none;
}

std::string RepairSender::waits_for() const {
  std::int64_t trains = 0, bytes = 0;
  for (const Flow& flow : flows_)
    for (std::uint32_t place = flow.first; place != none; place = sent_[place].next)
      ++trains, bytes += sent_[place].frame.bytes;
  return trains == 0 ? "" : fmt::format("{} trains ({} B) wait for acknowledgements", trains, bytes);
}

void RepairSender::save(StateWriter& out) const {
  index_.save(out);
  out.put(flows_), out.put(sent_), out.put(free_), out.put(order_), out.put(counts_);
}

void RepairSender::load(StateReader& in) {
  index_.load(in);
  in.get(flows_), in.get(sent_), in.get(free_), in.get(order_), in.get(counts_);
}

}  // namespace lightrail
