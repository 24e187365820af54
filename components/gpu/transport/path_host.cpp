#include "components/gpu/transport/path_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "network/port/reports.hpp"
#include "network/transport/tables.hpp"
#include "workloads/collective/nccl_settings.hpp"

namespace lightrail {
namespace {

std::uint64_t addresses_of(const Payload& payload) {
  return std::uint64_t{payload.b} << 32 | payload.a;
}

}  // namespace

const NcclSettings& nccl_settings_of(const Model& model) {
  static const NcclSettings defaults;
  const auto* settings = model.resource<NcclSettings>();
  return settings ? *settings : defaults;
}

PathHost::PathHost(const BuildContext& build, EndpointId self)
    : model_(build.model),
      book_(*build.model.resource<AddressBook>()),
      output_(build.model.resource<OutputSelection>()),
      self_(self),
      proxy_(wake_payload(GpuWake::proxy), nccl_settings_of(build.model).net_overhead,
             nccl_settings_of(build.model).net_progress, nccl_settings_of(build.model).aggregate),
      egress_(build) {
  for (std::uint32_t i = 0; i < build.record.port_count; ++i) {
    const auto port = static_cast<PortIndex>(i);
    injectors_.emplace_back();
    if (is_connected(port) && (port == GpuPort::nvlink || port == GpuPort::host))
      injectors_.back().emplace(build, port, i);
  }
}

void PathHost::fail(const Context& context, const std::string& what) const {
  throw SimulationError(context.now(), model_.component_name(context.self()), what);
}

std::string PathHost::name_of(EndpointId endpoint) const {
  return fmt::format("endpoint {} ({})", endpoint.value, endpoint_name(model_, endpoint));
}

void PathHost::inject(Context& context, PortIndex port, const Outgoing& message) {
  injectors_[port]->post(message, context.now());
  pump(context, port);
}

void PathHost::pump(Context& context, PortIndex port) {
  if (injectors_[port]) injectors_[port]->pump(context, egress_, *this);
}

void PathHost::post_transfer(Context& context, const Transfer& transfer) {
  for (std::int64_t left = transfer.wire_bytes; left > 0;) {
    const std::int64_t piece = std::min(left, max_piece);
    left -= piece;
    const bool notify = transfer.notify && left == 0;
    const unsigned flags =
        (transfer.in_switch == InSwitch::fabric_reduce ? reduce_in_fabric : 0u) | (notify ? notify_sent : 0u);
    const Payload work = make_wire(WireKind::message, self_, transfer.to, transfer.connection,
                                   static_cast<std::uint32_t>(piece), static_cast<std::uint16_t>(flags));
    if (notify) await_notice(work, SendToken::of(transfer.owner));
    if (transfer.is_by_gpu)
      context.send(GpuPort::nic, context.now(), work);
    else
      post(context, context.now(), work);
  }
}

void PathHost::await_notice(const Payload& work, SendToken token) {
  notices_.push_back({addresses_of(work), token.value()});
}

void PathHost::on_notice(Context& context, const Payload& notice) {
  tell_sent(take_notice(from_of(notice), to_of(notice), connection_of(notice)), context.now());
}

SendToken PathHost::take_notice(EndpointId from, EndpointId to, Connection connection) {
  const std::uint64_t addresses =
      addresses_of(make_wire(MessageKind::work_request, from, to, connection, 0, 0));
  auto it = std::find_if(notices_.begin(), notices_.end(),
                         [&](const Notice& n) { return n.addresses == addresses; });
  LIGHTRAIL_EXPECT(it != notices_.end());
  const SendToken token = SendToken::from(it->token);
  notices_.erase(it);
  return token;
}

void PathHost::tell_sent(SendToken token, SimTime at) {
  if (token.is_for_nobody()) return;
  if (token.is_part()) return part_listener_->on_part_sent(token.message(), at);
  tell_sent(token.owner(), at);
}

void PathHost::on_sent(Context&, std::uint64_t token, SimTime tail) {
  tell_sent(SendToken::from(token), tail);
}

void PathHost::expect(Context& context, const Expectation& expectation) {
  const std::uint64_t flow = flow_of(expectation.from, expectation.connection);
  settle(context, expectation.from, expectation.connection, arrivals_.expect(flow, expectation));
}

void PathHost::arrive(Context& context, const Payload& payload, SimTime tail) {
  const std::uint64_t flow = flow_of(from_of(payload), connection_of(payload));
  settle(context, from_of(payload), connection_of(payload),
         arrivals_.add(flow, payload.bytes, context.now(), tail));
}

/// Hands out the messages of a flow, which arrivals_ has in `slot`, that are complete.
void PathHost::settle(Context& context, EndpointId from, Connection connection, std::uint32_t slot) {
  while (auto message = arrivals_.next(slot, context.now())) deliver(context, from, connection, *message);
}

void PathHost::deliver(Context& context, EndpointId from, Connection connection,
                       const Arrivals::Complete& message) {
  const SimTime end = message.at + message.after;
  if (message.is_counted)
    ends_.push_back({message.owner, end, false});
  else
    context.wake(end, wake_payload(GpuWake::received, message.owner));
  if (message.payload_bytes == 0 || !output_ || !output_->is_recorded(tables::messages, self_)) return;
  const std::array<std::int64_t, 6> row{from.value,           self_.value,
                                        connection.value,     message.payload_bytes,
                                        message.head.count(), message.at.count()};
  context.record_at(message.head, tables::messages, row);
}

void PathHost::on_flow_control(Context& context, PortIndex port, const Payload& message) {
  egress_.on_flow_control(context, port, message, [](const Frame&, PortIndex, SimTime) {});
  pump(context, port);
}

void PathHost::on_injector_wake(Context& context, std::uint32_t port) {
  injectors_[port]->on_wake(context, egress_, *this);
}

std::vector<std::string> PathHost::waits_for_ports() const {
  std::vector<std::string> all;
  for (std::size_t port = 0; port < injectors_.size(); ++port)
    if (injectors_[port] && !injectors_[port]->is_idle())
      all.push_back(fmt::format("port {}: {} messages ({} B) wait for {}", port,
                                injectors_[port]->active_messages(), injectors_[port]->active_bytes(),
                                egress_.awaited(static_cast<PortIndex>(port))));
  return all;
}

void PathHost::save(StateWriter& out) const {
  egress_.save(out);
  for (const auto& injector : injectors_)
    if (injector) injector->save(out);
  proxy_.save(out), arrivals_.save(out), out.put(notices_);
}

void PathHost::load(StateReader& in) {
  egress_.load(in);
  for (auto& injector : injectors_)
    if (injector) injector->load(in);
  proxy_.load(in), arrivals_.load(in), in.get(notices_);
}

}  // namespace lightrail
