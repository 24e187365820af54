#include <fmt/format.h>

#include "components/gpu/transport/gpu_transport.hpp"
#include "components/gpu/transport/transport_payloads.hpp"
#include "network/wire/rail_control.hpp"

namespace lightrail {

/// The NIC gets work for other servers only while its circuit leads there.
void GpuTransport::send_on_rail(Context& context, const Payload& message, bool is_by_gpu, bool is_own,
                                Owner owner) {
  const EndpointId to = to_of(message);
  if (book_[to].nic != book_[self_].nic)
    fail(context, fmt::format("{} is on rail {}, this GPU on rail {}: only PXN joins photonic rails",
                              name_of(to), book_[to].nic, book_[self_].nic));
  RailCircuitClient::Work work{message, owner, is_own, is_by_gpu, book_[to].server};
  if (rail_->admit(work)) return post_on_rail(context, work);
  rail_->settle(context);
}

/// Everything on a circuit is told of when it has left, so that a change can wait for it.
void GpuTransport::post_on_rail(Context& context, const RailCircuitClient::Work& work) {
  Payload message = work.message;
  if (work.is_own) notices_.push_back({flow_of(to_of(message), connection_of(message)), work.owner});
  message.count = static_cast<std::uint16_t>(message.count | notify_sent);
  if (work.is_by_gpu)
    context.send(nic_port, context.now(), message);
  else
    proxy_.post(context, context.now(), message);
}

/// Control messages take the network of the servers: circuits lead one way.
void GpuTransport::send_control_on_rail(Context& context, const Payload& control) {
  context.send(control_port, context.now(), control);
}

void GpuTransport::on_rail_control(Context& context, const Payload& payload) {
  if (kind_of(payload) == WireKind::control) {
    if (to_of(payload) == self_) return arrive(context, payload, context.now());
    return inject(context, nvlink_port,
                  {from_of(payload), to_of(payload), connection_of(payload), payload.bytes, 0,
                   WireKind::control, 0, no_token});
  }
  switch (rail_control_of(payload)) {
    case RailControl::granted:
      for (const RailCircuitClient::Work& work : rail_->on_granted(context, payload.a))
        post_on_rail(context, work);
      return;
    case RailControl::reclaim:
      return rail_->on_reclaim(context);
    default:
      fail(context,
           fmt::format("a control message of kind {} came in, which is none for a gpu", payload.kind));
  }
}

}  // namespace lightrail
