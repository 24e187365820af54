#include "network/port/input_bank.hpp"

#include <map>

#include "engine/base/transfer_time.hpp"

namespace lightrail {
namespace {

std::uint8_t max_lanes_of(std::span<const PortEnd> ports) {
  std::uint8_t lanes = 0;
  for (const PortEnd& end : ports) lanes = std::max(lanes, end.near.lanes);
  return lanes;
}

}  // namespace

InputBank::InputBank(std::span<const PortEnd> ports, const std::string& name)
    : port_count_(static_cast<std::uint32_t>(ports.size())), lanes_(max_lanes_of(ports)) {
  const bool is_far = count() > near_freed;
  freed_ = {is_far ? new Freed[count()] : near_freed_.data(), Free{is_far}};
  std::map<const FlowControlKind*, ReceiveControl*> made;  // looked up, never iterated
  for (std::size_t i = 0; i < port_count_; ++i) {
    ReceiveControl*& control = made[ports[i].near.control];
    if (!control) control = controls_.emplace_back(ports[i].near.control->make_receiver(ports, name)).get();
    control_of_.push_back(control);
    const ReceiveTerms terms = control->terms(static_cast<PortIndex>(i));
    hears_arrivals_ |= terms.hears_arrivals;
    hears_departures_ |= terms.hears_departures;
    if (terms.hears_departures) continue;
    if (terms.lanes > 0) sends_credits_ &= terms.sends_credits;
    if (terms.report_bytes > 0 && terms.lanes > 0 && ports[i].in_rate.value > 0)
      batch_time_ = std::min(batch_time_, transfer_time(Bytes{terms.capacity / 4}, ports[i].in_rate));
    for (std::uint32_t k = 0; k < terms.lanes; ++k) {
      of(static_cast<PortIndex>(i), k).report_bytes = terms.report_bytes;
      of(static_cast<PortIndex>(i), k).capacity = terms.capacity;
    }
  }
}

bool InputBank::tell_taken(Context& context, PortIndex port, const Frame& train) {
  return !control_of_[port]->terms(port).hears_arrivals || control_of_[port]->on_taken(context, port, train);
}

void InputBank::tell_leaving(Context& context, PortIndex port, const Frame& train, SimTime at) {
  if (control_of_[port]->terms(port).hears_departures)
    control_of_[port]->on_leaving(context, port, train, at);
}

void InputBank::send_by(FrameLine& line) {
  for (const auto& control : controls_) control->send_by(line);
}

void InputBank::finish(Context& context) {
  for (const auto& control : controls_) control->finish(context);
}

void InputBank::report(Context& context, PortIndex port, std::uint8_t lane, Freed& freed) {
  const std::uint32_t bytes = freed.bytes;
  const SimTime at = std::max(freed.report_at, context.now());
  freed.bytes = 0, freed.report_at = SimTime{0};
  tell_freed(context, port, lane, bytes, at);
}

void InputBank::report_alone(Context& context, PortIndex port, const Frame& train, SimTime at, Freed& freed) {
  if (freed.bytes > 0) report(context, port, train.lane, freed);
  tell_freed(context, port, train.lane, train.bytes, std::max(at, context.now()));
}

void InputBank::save(StateWriter& out) const {
  for (const Freed& freed : std::span(freed_.get(), count())) out.put(freed);
  for (const auto& control : controls_) control->save(out);
}

void InputBank::load(StateReader& in) {
  for (Freed& freed : std::span(freed_.get(), count())) in.get(freed);
  for (const auto& control : controls_) control->load(in);
}

}  // namespace lightrail
