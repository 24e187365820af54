#include "network/transport/repair_receiver.hpp"

namespace lightrail {

RepairReceiver::Flow& RepairReceiver::flow_of(const NumberedTrain& train) {
  std::uint32_t slot = index_.find(train.address.word());
  if (slot == none) {
    slot = static_cast<std::uint32_t>(flows_.size());
    index_.insert(train.address.word(), slot);
    flows_.emplace_back();
  }
  return flows_[slot];
}

RepairReceiver::Place RepairReceiver::place_of(const NumberedTrain& train) {
  const Flow& flow = flow_of(train);
  const std::uint16_t number = settings_.number_in(train.number);
  const std::int16_t behind = distance(number, flow.next_number);
  if (behind == 0) return Place::next;
  if (behind < 0) return Place::late;
  for (std::uint32_t place = flow.first_early; place != none; place = early_[place].next)
    if (number_of(early_[place].frame) == number) return Place::late;
  return Place::early;
}

const std::vector<Frame>& RepairReceiver::take_next(const NumberedTrain& train) {
  Flow& flow = flow_of(train);
  advance(flow);
  flow.has_error = 0;
  due_.clear();
  while (flow.first_early != none && number_of(early_[flow.first_early].frame) == flow.next_number) {
    const std::uint32_t place = flow.first_early;
    due_.push_back(early_[place].frame);
    flow.first_early = early_[place].next;
    early_[place].next = free_;
    free_ = place;
    advance(flow);
  }
  return due_;
}

void RepairReceiver::take_early(const NumberedTrain& train) {
  Flow& flow = flow_of(train);
  std::uint32_t place = free_;
  if (place == none) {
    place = static_cast<std::uint32_t>(early_.size());
    early_.emplace_back();
  } else {
    free_ = early_[place].next;
  }
  std::uint32_t before = none, after = flow.first_early;
  while (after != none && distance(number_of(early_[after].frame), settings_.number_in(train.number)) < 0)
    before = after, after = early_[after].next;
  early_[place] = {.frame = frame_of(train), .next = after};
  (before == none ? flow.first_early : early_[before].next) = place;
}

Acknowledgement RepairReceiver::answer(MessageKind kind, const NumberedTrain& train,
                                       std::uint16_t number) const {
  return {.kind = kind,
          .lane = train.lane,
          .number = number,
          .address = Address(train.address.to(), train.address.from(), train.address.connection())};
}

Acknowledgement RepairReceiver::of_itself(const NumberedTrain& train, bool is_marked) const {
  const bool tells_mark = is_marked && settings_.repair == LossRepair::trimming;
  return answer(tells_mark ? MessageKind::marked_acknowledgement : MessageKind::selective_acknowledgement,
                train, train.number);
}

Acknowledgement RepairReceiver::acknowledgement(const NumberedTrain& train, bool is_marked) {
  if (settings_.repair == LossRepair::trimming) return of_itself(train, is_marked);
  const bool tells_mark = is_marked && settings_.tells_marks;
  return answer(tells_mark ? MessageKind::marked_acknowledgement : MessageKind::acknowledgement, train,
                flow_of(train).next_number);
}

std::optional<Acknowledgement> RepairReceiver::complaint(const NumberedTrain& train, SimTime now,
                                                         bool is_marked) {
  if (takes_early()) return of_itself(train, is_marked);
  Flow& flow = flow_of(train);
  const bool is_due = flow.has_error == 0 || (settings_.error_interval > SimTime{0} &&
                                              now >= flow.error_at + settings_.error_interval);
  if (!is_due) return std::nullopt;
  flow.has_error = 1;
  flow.error_at = now;
  return answer(MessageKind::sequence_error, train, flow.next_number);
}

void RepairReceiver::discard(const NumberedTrain& train) {
  ++counts_[train.lane].trains;
  counts_[train.lane].bytes += train.bytes;
}

void RepairReceiver::save(StateWriter& out) const {
  index_.save(out);
  out.put(flows_), out.put(early_), out.put(free_), out.put(counts_);
}

void RepairReceiver::load(StateReader& in) {
  index_.load(in);
  in.get(flows_), in.get(early_), in.get(free_), in.get(counts_);
}

}  // namespace lightrail
