#include "components/gpu/transport/path_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "components/gpu/transport/gpu_wakes.hpp"
#include "network/port/reports.hpp"
#include "network/transport/tables.hpp"
#include "network/wire/phase.hpp"
#include "workloads/collective/nccl_settings.hpp"

namespace lightrail {

const NcclSettings& nccl_settings_of(const Model& model) {
  static const NcclSettings defaults;
  const auto* settings = model.resource<NcclSettings>();
  return settings ? *settings : defaults;
}

PathHost::PathHost(const BuildContext& build, EndpointId self)
    : self_(self),
      addresses_(build.model),
      book_(*build.model.resource<AddressBook>()),
      model_(build.model),
      output_(build.model.resource<OutputSelection>()),
      planes_(build),
      proxy_(to_payload(PlainWake{.kind = GpuWake::proxy}), nccl_settings_of(build.model).net_overhead,
             nccl_settings_of(build.model).net_progress, nccl_settings_of(build.model).aggregate),
      egress_(build) {
  for (std::uint32_t i = 0; i < build.record.port_count; ++i) {
    const auto port = static_cast<PortIndex>(i);
    injectors_.emplace_back();
    if (is_connected(port) && (planes_.has(port) || port == GpuPort::host))
      injectors_.back().emplace(build, port, i);
  }
  can_lose_links_ = planes_.can_fail();
  planes_change_at_ = planes_.next_change(SimTime{0});
}

void PathHost::fail(const Context& context, const std::string& what) const {
  throw SimulationError(context.now(), model_.component_name(context.self()), what);
}

std::string PathHost::name_of(EndpointId endpoint) const {
  return fmt::format("endpoint {} ({})", endpoint.value, endpoint_name(model_, endpoint));
}

void PathHost::inject(Context& context, PortIndex port, const Outgoing& message) {
  const PortIndex by = port == GpuPort::nvlink ? planes_.port_of(message, context.now()) : port;
  injectors_[by]->post(message, context.now());
  pump(context, by);
}

void PathHost::pump(Context& context, PortIndex port) {
  if (injectors_[port]) injectors_[port]->pump(context, egress_, *this);
}

void PathHost::post_transfer(Context& context, const Transfer& transfer) {
  const bool is_further = transfer.is_part && transfer.owner.sub > 0;
  const auto share = is_further ? ProxyQueue::Share::part : ProxyQueue::Share::request;
  for (std::int64_t left = transfer.wire_bytes; left > 0;) {
    const std::int64_t piece = std::min(left, max_work_bytes);
    left -= piece;
    const bool notify = transfer.notify && left == 0;
    const WorkRequest work{.notify = notify,
                           .reduce_in_fabric = transfer.in_switch == InSwitch::fabric_reduce,
                           .bytes = static_cast<std::uint32_t>(piece),
                           .address = Address(self_, transfer.to, transfer.connection)};
    if (notify) await_notice(work.address, token_of(transfer));
    if (transfer.is_by_gpu)
      context.send(GpuPort::nic, context.now(), to_payload(work));
    else
      post(context, context.now(), {work, transfer.to, GpuPort::nic, share});
  }
}

void PathHost::await_notice(const Address& work, SendToken token) {
  notices_.push_back({work, token.value()});
}

void PathHost::on_notice(Context& context, const SentNotice& notice) {
  tell_sent(take_notice(notice.address), context.now());
}

SendToken PathHost::take_notice(const Address& work) {
  auto it = std::find_if(notices_.begin(), notices_.end(), [&](const Notice& n) { return n.work == work; });
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

void PathHost::arrive(Context& context, const Train& train, SimTime tail) {
  settle(context, train.address.from(), train.address.connection(),
         arrivals_.add(train.address.flow(), train.bytes, context.now(), tail));
}

/// Hands out the messages of a flow, which arrivals_ has in `slot`, that are complete.
void PathHost::settle(Context& context, EndpointId from, Connection connection, std::uint32_t slot) {
  while (auto message = arrivals_.next(slot, context.now())) deliver(context, from, connection, *message);
}

void PathHost::deliver(Context& context, EndpointId from, Connection connection,
                       const Arrivals::Complete& message) {
  const SimTime end = message.at + message.after;
  const auto phase = static_cast<Phase>(connection.phase());
  if (phase == Phase::point_to_point || phase == Phase::point_clear) {
    if (message.owner.slot >= first_signs_.size()) first_signs_.resize(message.owner.slot + 1);
    first_signs_[message.owner.slot] = message.head;
  }
  if (message.is_counted) {
    ends_.push_back({message.owner, end, false});
  } else {
    context.wake(end, to_payload(OwnerWake{.kind = GpuWake::received,
                                           .attempt = static_cast<std::uint8_t>(addresses_.attempt()),
                                           .owner = message.owner}));
    if (delivery_listener_) delivery_listener_->on_wake_set(context.now(), message.owner, end);
  }
  if (message.payload_bytes == 0 || !output_ || !output_->is_recorded(tables::messages, self_)) return;
  const std::array<std::int64_t, 6> row{
      from.value,           self_.value,       connection.in_attempt(0).value, message.payload_bytes,
      message.head.count(), message.at.count()};
  context.record_at(message.head, tables::messages, row);
  if (delivery_listener_) delivery_listener_->on_row(message.owner, row);
}

void PathHost::drop_all() {
  for (auto& injector : injectors_) {
    if (!injector) continue;
    for (const Injector::Rest& rest : injector->take_all())
      if (is_payload(rest.head.kind)) discard(DiscardedAt::sender, rest.bytes);
  }
  discard(DiscardedAt::sender, proxy_.drop_all());
  discard(DiscardedAt::receiver, arrivals_.drop_all(self_));
  notices_.clear();
  first_signs_.clear();
}

SimTime PathHost::take_first_sign(std::uint32_t slot) {
  return slot < first_signs_.size() ? std::exchange(first_signs_[slot], SimTime{0}) : SimTime{0};
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
  proxy_.save(out), arrivals_.save(out), out.put(notices_), out.put(first_signs_);
  addresses_.save(out), discards_.save(out);
  out.put(planes_change_at_), out.put(watched_until_);
}

void PathHost::load(StateReader& in) {
  egress_.load(in);
  for (auto& injector : injectors_)
    if (injector) injector->load(in);
  proxy_.load(in), arrivals_.load(in), in.get(notices_), in.get(first_signs_);
  addresses_.load(in), discards_.load(in);
  in.get(planes_change_at_), in.get(watched_until_);
}

}  // namespace lightrail
