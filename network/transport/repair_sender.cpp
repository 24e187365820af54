#include "network/transport/repair_sender.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.hpp"

namespace lightrail {

Frame RepairSender::leaving(const Frame& frame, std::uint16_t source, SimTime at) {
  if (NumberedTrain::carries(frame.kind)) {
    leaving_again(frame, at);
    return frame;
  }
  const bool is_repaired = frame.kind == MessageKind::train || frame.kind == MessageKind::control;
  return is_repaired && is_lossy(frame.lane) ? leaving_first(frame, source, at) : frame;
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
  else if (const std::uint16_t first = number_of(sent_[flow.first].frame);
           static_cast<std::uint16_t>(flow.next_number - first) >= NumberedTrain::max_outstanding - 1)
    throw SimulationError(at, name_,
                          fmt::format("a flow has {} trains on the way on class {}, which is not lossless: "
                                      "more than numbers tell apart",
                                      NumberedTrain::max_outstanding - 1, frame.lane));
  const Frame numbered = frame_of(NumberedTrain::of(frame, flow.next_number++));
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
  ++counts_[frame.lane].trains;
  return numbered;
}

void RepairSender::leaving_again(const Frame& frame, SimTime at) {
  ++counts_[frame.lane].again;
  counts_[frame.lane].again_bytes += frame.bytes;
  Flow& flow = flows_[index_.find(frame.address.word())];
  Sent* sent = find(flow, number_of(frame));
  if (!sent) return;  // acknowledged while it waited for the line
  sent->at = at;
  sent->order = order_++;
  sent->is_queued = 0;
}

RepairSender::Sent* RepairSender::find(const Flow& flow, std::uint16_t number) {
  for (std::uint32_t place = flow.first; place != none; place = sent_[place].next)
    if (number_of(sent_[place].frame) == number) return &sent_[place];
  return nullptr;
}

/// All before `number` are there. Returns the highest order of those that were not known to be.
std::int64_t RepairSender::release_before(Flow& flow, std::uint16_t number, SimTime now) {
  std::int64_t order = -1;
  while (flow.first != none && distance(number_of(sent_[flow.first].frame), number) < 0) {
    Sent& sent = sent_[flow.first];
    if (sent.is_there == 0 && sent.is_queued == 0) order = std::max(order, sent.order);
    const std::uint32_t place = flow.first;
    flow.first = sent.next;
    sent.next = free_;
    free_ = place;
    flow.progress_at = now;
    flow.retries = 0;
  }
  if (flow.first == none) flow.last = none;
  return order;
}

void RepairSender::queue(Sent& sent) {
  if (sent.is_queued != 0 || sent.is_there != 0) return;
  sent.is_queued = 1;
  again_.push_back({sent.frame, sent.source});
}

void RepairSender::queue_sent_before(const Flow& flow, std::int64_t order) {
  for (std::uint32_t place = flow.first; place != none; place = sent_[place].next)
    if (sent_[place].order < order) queue(sent_[place]);
}

void RepairSender::queue_all(const Flow& flow) {
  for (std::uint32_t place = flow.first; place != none; place = sent_[place].next) queue(sent_[place]);
}

const std::vector<RepairSender::Again>* RepairSender::on_acknowledgement(const Acknowledgement& message,
                                                                         SimTime now) {
  const Address own(message.address.to(), message.address.from(), message.address.connection());
  const std::uint32_t slot = index_.find(own.word());
  if (slot == none) return nullptr;
  Flow& flow = flows_[slot];
  again_.clear();
  if (message.kind == MessageKind::selective_acknowledgement) {
    Sent* sent = find(flow, message.number);
    if (!sent || sent->is_there != 0) return &again_;
    sent->is_there = 1;
    flow.progress_at = now;
    flow.retries = 0;
    if (sent->is_queued == 0) queue_sent_before(flow, sent->order);
    return &again_;
  }
  const std::int64_t order = release_before(flow, message.number, now);
  if (message.kind == MessageKind::sequence_error)
    queue_all(flow);
  else if (settings_.repair == LossRepair::selective_repeat)
    queue_sent_before(flow, order);
  return &again_;
}

std::optional<SimTime> RepairSender::start_timer(const Address& address) {
  const std::uint32_t slot = index_.find(address.word());
  if (slot == none) return std::nullopt;
  Flow& flow = flows_[slot];
  if (flow.has_timer != 0 || flow.first == none) return std::nullopt;
  flow.has_timer = 1;
  return flow.progress_at + settings_.timeout;
}

RepairSender::Timeout RepairSender::on_timer(const Address& address, SimTime now) {
  Flow& flow = flows_[index_.find(address.word())];
  again_.clear();
  Timeout answer{.again = &again_};
  if (flow.first == none) {
    flow.has_timer = 0;
    return answer;
  }
  const Sent& first = sent_[flow.first];
  const SimTime due = std::max(first.is_queued != 0 ? now : first.at, flow.progress_at) + settings_.timeout;
  if (due > now) {
    answer.ask_again = due;
    return answer;
  }
  ++counts_[first.frame.lane].timeouts;
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
