// What an NVSwitch does where links of its chips fail.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "components/nvswitch/nvswitch.hpp"
#include "network/port/reports.hpp"
#include "network/wire/delegated_train.hpp"
#include "network/wire/link_change.hpp"

namespace lightrail {

void Nvswitch::on_own(const Payload& payload, Context& context) {
  if (kind_of(payload) != MessageKind::link_change) return send_again(as<Frame>(payload), context);
  const auto change = as<LinkChange>(payload);
  const bool is_idle = !crossbar_.egress().has_waiting(static_cast<PortIndex>(change.port));
  crossbar_.on_link_change(context, change);
  if (is_idle) context.count_as_idle();
}

bool Nvswitch::is_idle_wake(const Event& event) const {
  return kind_of(event.payload) == MessageKind::link_change &&
         !crossbar_.egress().has_waiting(static_cast<PortIndex>(as<LinkChange>(event.payload).port));
}

LinkId Nvswitch::link_at(PortIndex port) const {
  return model_.ports[model_.components[self_.value].first_port + port].out;
}

/// Until then nothing better is known than to wait for the link.
void Nvswitch::on_cut_off(Context& context) {
  const SimTime now = context.now(), detection = health_->delay(Observer::sender);
  for (const EgressBank::CutOff& cut : crossbar_.egress().take_cut_off()) {
    SimTime at = now;
    for (const Outage& outage : health_->outages(link_at(cut.port))) {
      if (outage.up <= now) continue;
      const bool is_known_first = outage.up == time_never || outage.up - outage.down > detection;
      at = is_known_first ? outage.down + detection : outage.up;
      break;
    }
    context.wake(std::max(at, now), to_payload(cut.train));
  }
}

/// By a chip whose link to the train's GPU is up.
void Nvswitch::send_again(const Frame& frame, Context& context) {
  const PortIndex first =
      DelegatedTrain::carries(frame.kind) ? as<DelegatedTrain>(frame).via : port_to(frame.address.to());
  const std::uint32_t chips = spec_.separate_planes();
  for (std::uint32_t chip = 0; chip < chips; ++chip) {
    const auto port = static_cast<PortIndex>(chip * chip_ports_ + first);
    if (!crossbar_.egress().is_usable(port, context.now())) continue;
    crossbar_.egress().offer(context, port, frame, context.now());
    return;
  }
  const SimTime at = next_look(first, context.now());
  if (at == time_never && restarts_jobs(model_)) return discards_.add(DiscardedAt::network, frame);
  if (at == time_never)
    throw SimulationError(
        context.now(), model_.component_name(context.self()),
        fmt::format("a train for endpoint {} ({}) cannot be sent: no link of a chip to {} is "
                    "up any more",
                    frame.address.to().value, endpoint_name(model_, frame.address.to()),
                    model_.component_name(book_->component_of[gpu_at_[first].value])));
  context.wake(at, to_payload(frame));
}

SimTime Nvswitch::next_look(PortIndex first, SimTime now) const {
  SimTime next = time_never;
  for (std::uint32_t chip = 0; chip < spec_.separate_planes(); ++chip)
    next = std::min(next,
                    crossbar_.egress().next_change(static_cast<PortIndex>(chip * chip_ports_ + first), now));
  return next;
}

}  // namespace lightrail
