// What a GPU does where links to planes of its NVSwitch fail: PathHost's part of it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "components/gpu/transport/path_host.hpp"

namespace lightrail {
namespace {

PortIndex ports_of(const std::vector<std::optional<Injector>>& injectors) {
  return static_cast<PortIndex>(injectors.size());
}

}  // namespace

bool PathHost::are_planes_idle() const {
  for (PortIndex port = 0; port < ports_of(injectors_); ++port)
    if (injectors_[port] && planes_.has(port) && !injectors_[port]->is_idle()) return false;
  return true;
}

bool PathHost::is_idle_change(const LinkChange& change) const {
  return are_planes_idle() && !egress_.has_waiting(static_cast<PortIndex>(change.port));
}

void PathHost::on_link_change(Context& context, const LinkChange& change) {
  const bool is_idle = is_idle_change(change);
  egress_.on_link_change(context, static_cast<PortIndex>(change.port), [](const Frame&, PortIndex) {});
  for (PortIndex port = 0; port < ports_of(injectors_); ++port)
    if (planes_.has(port)) pump(context, port);
  if (is_idle) context.count_as_idle();
}

void PathHost::watch_planes(Context& context) {
  const SimTime now = context.now();
  if (egress_.has_cut_off()) post_cut_off(now);
  if (are_planes_idle()) return;
  if (now >= planes_change_at_) {
    planes_change_at_ = planes_.next_change(now);
    spread_again(context);
    if (egress_.has_cut_off()) post_cut_off(now);
  }
  const SimTime at = next_look(now);
  if (at == time_never || (watched_until_ > now && watched_until_ <= at)) return;
  watched_until_ = at;
  context.wake(at, to_payload(LinkChange{}));
}

/// Ahead of what has not been sent yet. Whom it belongs to was told that it left.
void PathHost::post_cut_off(SimTime now) {
  const std::vector<EgressBank::CutOff> cut = egress_.take_cut_off();
  for (std::size_t i = cut.size(); i-- > 0;) {
    const Frame& train = cut[i].train;
    const Outgoing message = outgoing(train, train.bytes, 0, SendToken::nobody().value());
    injectors_[planes_.port_of(message, now)]->post_first(message, now);
  }
}

/// By the planes that are known to be whole now.
void PathHost::spread_again(Context& context) {
  std::vector<Injector::Rest> all;
  for (PortIndex port = 0; port < ports_of(injectors_); ++port) {
    if (!injectors_[port] || !planes_.has(port)) continue;
    const std::vector<Injector::Rest> own = injectors_[port]->take_all();
    all.insert(all.end(), own.begin(), own.end());
  }
  for (const Injector::Rest& rest : all) {
    const Outgoing message = rest.message();
    injectors_[planes_.port_of(message, context.now())]->post(message, context.now());
  }
  for (PortIndex port = 0; port < ports_of(injectors_); ++port)
    if (planes_.has(port)) pump(context, port);
}

/// When something may change for what waits.
SimTime PathHost::next_look(SimTime now) const {
  SimTime at = planes_change_at_;
  for (PortIndex port = 0; port < ports_of(injectors_); ++port)
    if (planes_.has(port) && !injectors_[port]->is_idle() && !egress_.is_usable(port, now))
      at = std::min(at, egress_.next_change(port, now));
  return at;
}

}  // namespace lightrail
