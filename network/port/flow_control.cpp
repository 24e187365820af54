#include "network/port/flow_control.hpp"

namespace lightrail {

// Each is called only where a flow control has asked for it.

LaneMask SendControl::on_timer(Context&, const FlowTimer&, SendLanes) {
  fail_contract("a sender with timers takes them", __FILE__, __LINE__);
}

SimTime SendControl::stops_at(PortIndex, std::uint8_t) const {
  fail_contract("a sender that stops lanes says when", __FILE__, __LINE__);
}

void SendControl::on_left(Context&, PortIndex, const Frame&, SimTime, SendLanes) {
  fail_contract("a sender that wants to be told takes it", __FILE__, __LINE__);
}

bool SendControl::on_waiting(Context&, PortIndex, const Frame&, SendLanes) {
  fail_contract("a sender that hears what waits takes it", __FILE__, __LINE__);
}

bool SendControl::can_borrow(PortIndex, std::uint8_t, std::uint32_t, std::uint32_t) const {
  return false;
}

void SendControl::borrow(PortIndex, std::uint8_t, std::uint32_t, SendLane&) {
  fail_contract("a sender that lends says how", __FILE__, __LINE__);
}

bool ReceiveControl::on_taken(Context&, PortIndex, const Frame&) {
  fail_contract("a receiver that hears arrivals takes them", __FILE__, __LINE__);
}

void ReceiveControl::on_leaving(Context&, PortIndex, const Frame&, SimTime) {
  fail_contract("a receiver that hears departures takes them", __FILE__, __LINE__);
}

void ReceiveControl::on_timer(Context&, const FlowTimer&) {
  fail_contract("a receiver with timers takes them", __FILE__, __LINE__);
}

}  // namespace lightrail
