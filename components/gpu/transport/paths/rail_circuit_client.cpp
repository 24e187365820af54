#include "components/gpu/transport/paths/rail_circuit_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "components/gpu/transport/gpu_ports.hpp"
#include "components/gpu/transport/gpu_wakes.hpp"
#include "network/wire/rail_control.hpp"

namespace lightrail {

RailCircuitClient::RailCircuitClient(const Rails& rails, const AddressBook& book, EndpointId self)
    : rails_(rails), peer_(rails.next(book[self].server)), is_live_(1) {}

bool RailCircuitClient::admit(const Work& work) {
  if (!is_live_ || work.server != peer_) {
    kept_.push_back(work);
    return false;
  }
  ++outstanding_;
  return true;
}

void RailCircuitClient::gone(Context& context) {
  LIGHTRAIL_EXPECT(outstanding_ > 0);
  --outstanding_;
  last_ = context.now();
  settle(context);
}

std::vector<RailCircuitClient::Work> RailCircuitClient::on_granted(Context& context, std::uint32_t server) {
  LIGHTRAIL_EXPECT(is_asking_ && server == peer_);
  is_asking_ = 0;
  is_live_ = 1;
  last_ = context.now();
  std::vector<Work> now, later;
  for (const Work& work : kept_) (work.server == peer_ ? now : later).push_back(work);
  kept_ = std::move(later);
  outstanding_ += static_cast<std::uint32_t>(now.size());
  return now;
}

void RailCircuitClient::on_reclaim(Context& context) {
  if (!is_live_) return;  // it has been given up meanwhile, the controller hears of it
  is_reclaimed_ = 1;
  settle(context);
}

void RailCircuitClient::on_timer(Context& context) {
  has_timer_ = 0;
  settle(context);
}

void RailCircuitClient::settle(Context& context) {
  if (outstanding_ > 0 || is_asking_) return;
  if (is_live_) {
    if (kept_.empty() && !is_reclaimed_) return;
    if (const SimTime due = last_ + rails_.hold; context.now() < due) {
      if (!has_timer_) context.wake(due, to_payload(PlainWake{.kind = GpuWake::rail}));
      has_timer_ = 1;
      return;
    }
    is_live_ = is_reclaimed_ = 0;
    if (kept_.empty())
      return context.send(GpuPort::control, context.now(), to_payload(rail_control::Released{}));
  }
  if (kept_.empty()) return;
  peer_ = kept_.front().server;
  is_asking_ = 1;
  context.send(GpuPort::control, context.now(), to_payload(rail_control::Request{.server = peer_}));
}

std::string RailCircuitClient::waits_for() const {
  return kept_.empty() ? "" : fmt::format("{} messages wait for a circuit to server {}", kept_.size(), peer_);
}

void RailCircuitClient::save(StateWriter& out) const {
  out.put(peer_), out.put(outstanding_), out.put(is_live_), out.put(is_asking_), out.put(is_reclaimed_);
  out.put(has_timer_), out.put(last_), out.put(kept_);
}

void RailCircuitClient::load(StateReader& in) {
  in.get(peer_), in.get(outstanding_), in.get(is_live_), in.get(is_asking_), in.get(is_reclaimed_);
  in.get(has_timer_), in.get(last_), in.get(kept_);
}

}  // namespace lightrail
