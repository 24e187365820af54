#include "components/gpu/transport/gpu_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "components/gpu/transport/transport_payloads.hpp"
#include "engine/model/tables.hpp"
#include "network/port/reports.hpp"
#include "workloads/collective/nccl_settings.hpp"
#include "workloads/program/phase.hpp"

namespace lightrail {
namespace {

const NcclSettings& nccl_of(const Model& model) {
  static const NcclSettings defaults;
  const auto* settings = model.resource<NcclSettings>();
  return settings ? *settings : defaults;
}

}  // namespace

GpuTransport::GpuTransport(const BuildContext& build, EndpointId self, BitRate memory_bandwidth)
    : model_(build.model),
      book_(*build.model.resource<AddressBook>()),
      output_(build.model.resource<OutputSelection>()),
      self_(self),
      is_pxn_(nccl_of(build.model).pxn),
      in_lines_(build.record.port_count),
      memory_bandwidth_(memory_bandwidth),
      proxy_(nic_port, wake_payload(GpuWake::proxy), nccl_of(build.model).net_overhead,
             nccl_of(build.model).net_progress, nccl_of(build.model).aggregate),
      by_dimension_(build.model.dimensions.size()),
      egress_(build) {
  for (std::uint32_t i = 0; i < build.record.port_count; ++i) {
    const auto port = static_cast<PortIndex>(i);
    const PortEnd end = port_end(build, port);
    in_lines_[i] = LineTime(end.in_rate);
    injectors_.emplace_back();
    if (end.is_connected && port != nic_port && port != control_port && port != scheduler_port)
      injectors_.back().emplace(build, port, i);
  }
  if (const auto* regions = build.model.resource<Regions>();
      regions && regions->place(book_[self].server).region != Regions::none)
    delegation_ = std::make_unique<Delegation>(build, *regions, book_, self);
  if (const auto* rails = build.model.resource<Rails>())
    rail_ = std::make_unique<RailCircuitClient>(*rails, book_, self);
  // GPUs of a server are neighbours in the address book.
  std::uint32_t first = self.value;
  while (first > 0 && book_.endpoints[first - 1].server == book_[self].server) --first;
  for (std::uint32_t e = first; e < book_.gpu_count && book_.endpoints[e].server == book_[self].server; ++e) {
    if (!book_.endpoints[e].lid.is_valid()) continue;
    if (book_.endpoints[e].nic >= rails_.size()) rails_.resize(book_.endpoints[e].nic + 1u);
    rails_[book_.endpoints[e].nic] = true;
  }
}

void GpuTransport::fail(const Context& context, const std::string& what) const {
  throw SimulationError(context.now(), model_.component_name(context.self()), what);
}

std::string GpuTransport::name_of(EndpointId endpoint) const {
  return fmt::format("endpoint {} ({})", endpoint.value, endpoint_name(model_, endpoint));
}

Medium GpuTransport::medium(EndpointId peer) const {
  if (peer == self_) return Medium::local;
  if (book_[peer].server != book_[self_].server) return Medium::net;
  return peer.value < book_.gpu_count && is_connected(nvlink_port) ? Medium::nvlink : Medium::pci;
}

GpuTransport::Way GpuTransport::way_to(EndpointId to) const {
  if (to == self_) return Way::local;
  const AddressBook::Entry &there = book_[to], &here = book_[self_];
  const bool has_nvlink = is_connected(nvlink_port), has_host = is_connected(host_port);
  const bool is_gpu = to.value < book_.gpu_count;
  if (there.server == here.server) {
    if (is_gpu && has_nvlink) return Way::nvlink;
    return has_host ? Way::host : Way::none;
  }
  const bool has_nic = is_connected(nic_port) && here.lid.is_valid();
  const bool can_pxn = is_pxn_ && has_nvlink;
  if (can_pxn && is_gpu && !(has_nic && there.nic == here.nic) && has_rail(there.nic)) return Way::nvlink;
  if (has_nic) return Way::nic;
  return can_pxn && std::find(rails_.begin(), rails_.end(), true) != rails_.end() ? Way::nvlink : Way::none;
}

void GpuTransport::count(const Transfer& transfer) {
  const bool is_to_self = transfer.to == self_;
  if (is_to_self && transfer.in_switch == InSwitch::nothing)
    return;  // a copy within its memory is no traffic
  if (transfer.dimension < by_dimension_.size()) {
    by_dimension_[transfer.dimension].bytes += transfer.payload_bytes;
    ++by_dimension_[transfer.dimension].messages;
  }
  // What a switch sums or multicasts goes to no endpoint alone.
  const bool has_receiver = transfer.in_switch == InSwitch::nothing || transfer.in_switch == InSwitch::fold;
  if (!is_to_self && has_receiver && output_ && output_->is_recorded(tables::traffic_matrix, self_))
    by_receiver_[transfer.to.value] += transfer.payload_bytes;
}

void GpuTransport::send(Context& context, const Transfer& transfer) {
  LIGHTRAIL_EXPECT(transfer.wire_bytes > 0);
  count(transfer);
  if (transfer.in_switch != InSwitch::nothing) return send_to_switch(context, transfer);
  if (is_delegated(transfer.to)) return send_by_delegates(context, transfer);
  const std::uint64_t token = transfer.notify ? token_of(transfer.owner) : no_token;
  Way way = way_to(transfer.to);
  if (transfer.is_by_gpu && medium(transfer.to) == Medium::net && is_connected(nic_port)) way = Way::nic;
  switch (way) {
    case Way::local:
      return send_local(context, transfer);
    case Way::nic:
      return send_to_nic(context, transfer);
    case Way::nvlink:
    case Way::host:
      return inject(
          context, way == Way::nvlink ? nvlink_port : host_port,
          {self_, transfer.to, transfer.connection, transfer.wire_bytes, 0, WireKind::train, 0, token});
    case Way::none:
      break;
  }
  fail(context, fmt::format("{} cannot be reached: this GPU has no NIC{}", name_of(transfer.to),
                            is_connected(nvlink_port) ? " and no local GPU that may forward (pxn)" : ""));
}

void GpuTransport::send_to_switch(Context& context, const Transfer& transfer) {
  LIGHTRAIL_EXPECT(!transfer.notify);
  if (transfer.in_switch == InSwitch::fabric_reduce) return send_to_nic(context, transfer);
  LIGHTRAIL_EXPECT(is_connected(nvlink_port));
  const WireKind kind = transfer.in_switch == InSwitch::reduce ? WireKind::reduce
                        : transfer.in_switch == InSwitch::fold ? WireKind::fold
                                                               : WireKind::multicast;
  inject(context, nvlink_port,
         {self_, transfer.to, transfer.connection, transfer.wire_bytes, 0, kind, 0, no_token});
}

void GpuTransport::send_control(Context& context, EndpointId to, Connection connection) {
  const Payload control = make_wire(WireKind::control, self_, to, connection, control_bytes, 1);
  if (is_delegated(to)) return pass_on(context, control);
  const Way way = way_to(to);
  switch (way) {
    case Way::local:
      return arrive(context, control, context.now());
    case Way::nic:
      if (is_on_rail(to)) return send_control_on_rail(context, control);
      return context.send(nic_port, context.now(), control);
    case Way::nvlink:
    case Way::host:
      return inject(context, way == Way::nvlink ? nvlink_port : host_port,
                    {self_, to, connection, control_bytes, 0, WireKind::control, 0, no_token});
    case Way::none:
      break;
  }
  fail(context, fmt::format("{} cannot be reached: this GPU has no NIC", name_of(to)));
}

/// Read and written at the memory's bandwidth, one message after the other: here when it is all read.
void GpuTransport::send_local(Context& context, const Transfer& transfer) {
  for (std::int64_t left = transfer.wire_bytes; left > 0;) {
    const std::int64_t piece = std::min(left, max_piece);
    memory_free_at_ =
        std::max(memory_free_at_, context.now()) + transfer_time(Bytes{2 * piece}, memory_bandwidth_);
    arrive(
        context,
        make_wire(WireKind::train, self_, self_, transfer.connection, static_cast<std::uint32_t>(piece), 1),
        memory_free_at_);
    left -= piece;
  }
  if (transfer.notify) ends_.push_back({transfer.owner, memory_free_at_, true});
}

void GpuTransport::send_to_nic(Context& context, const Transfer& transfer) {
  for (std::int64_t left = transfer.wire_bytes; left > 0;) {
    const std::int64_t piece = std::min(left, max_piece);
    left -= piece;
    const bool notify = transfer.notify && left == 0;
    if (is_on_rail(transfer.to)) {
      const Payload message = make_wire(WireKind::message, self_, transfer.to, transfer.connection,
                                        static_cast<std::uint32_t>(piece), 0);
      send_on_rail(context, message, transfer.is_by_gpu, true, notify ? transfer.owner : Owner{no_owner, 0});
      continue;
    }
    if (notify) notices_.push_back({flow_of(transfer.to, transfer.connection), transfer.owner});
    const unsigned flags =
        (transfer.in_switch == InSwitch::fabric_reduce ? reduce_in_fabric : 0u) | (notify ? notify_sent : 0u);
    const Payload work = make_wire(WireKind::message, self_, transfer.to, transfer.connection,
                                   static_cast<std::uint32_t>(piece), static_cast<std::uint16_t>(flags));
    if (transfer.is_by_gpu)
      context.send(nic_port, context.now(), work);
    else
      proxy_.post(context, context.now(), work);
  }
}

void GpuTransport::inject(Context& context, PortIndex port, const Outgoing& message) {
  injectors_[port]->post(message, context.now());
  pump(context, port);
}

void GpuTransport::pump(Context& context, PortIndex port) {
  if (injectors_[port]) injectors_[port]->pump(context, egress_, *this);
}

void GpuTransport::on_sent(Context&, std::uint64_t token, SimTime tail) {
  if (token == no_token) return;
  ends_.push_back({{static_cast<std::uint32_t>(token >> 32), static_cast<std::uint32_t>(token)}, tail, true});
}

void GpuTransport::on_notice(Context& context, const Payload& payload) {
  const std::uint64_t flow = flow_of(to_of(payload), connection_of(payload));
  auto it = std::find_if(notices_.begin(), notices_.end(), [&](const Notice& n) { return n.flow == flow; });
  if (delegation_ && delegation_->is_optical(delegation_->own_nic())) {
    on_circuit_sent(context);
    if (from_of(payload) != self_) return;
  }
  if (rail_) {
    rail_->gone(context);
    if (from_of(payload) != self_ || (payload.count & sent_again) != 0) return;
  }
  LIGHTRAIL_EXPECT(it != notices_.end());
  const Owner owner = it->owner;
  notices_.erase(it);
  if (owner.slot != no_owner) ends_.push_back({owner, context.now(), true});
}

void GpuTransport::expect(Context& context, const Expectation& expectation) {
  const std::uint64_t flow = flow_of(expectation.from, expectation.connection);
  settle(context, flow, arrivals_.expect(flow, expectation));
}

void GpuTransport::wake_after(Context& context, SimTime delay, Owner owner) {
  context.wake(context.now() + delay, wake_payload(GpuWake::timer, owner));
}

void GpuTransport::prefetch_arrival(const Payload& payload) const {
  if (kind_of(payload) == WireKind::train)
    arrivals_.prefetch(flow_of(from_of(payload), connection_of(payload)));
}

void GpuTransport::arrive(Context& context, const Payload& payload, SimTime tail) {
  const std::uint64_t flow = flow_of(from_of(payload), connection_of(payload));
  settle(context, flow, arrivals_.add(flow, payload.bytes, context.now(), tail));
}

/// Hands out the messages of a flow, which arrivals_ has in `slot`, that are complete.
void GpuTransport::settle(Context& context, std::uint64_t flow, std::uint32_t slot) {
  while (auto message = arrivals_.next(slot, context.now())) {
    const SimTime end = message->at + message->after;
    if (message->is_counted)
      ends_.push_back({message->owner, end, false});
    else
      context.wake(end, wake_payload(GpuWake::received, message->owner));
    if (message->payload_bytes == 0 || !output_ || !output_->is_recorded(tables::messages, self_)) continue;
    const std::array<std::int64_t, 6> row{static_cast<std::int64_t>(flow >> 24),
                                          self_.value,
                                          static_cast<std::int64_t>(flow & 0xffffff),
                                          message->payload_bytes,
                                          message->head.count(),
                                          message->at.count()};
    context.record_at(message->head, tables::messages, row);
  }
}

void GpuTransport::on_wire(Context& context, const Payload& payload, PortIndex port) {
  const WireKind kind = kind_of(payload);
  if (port == control_port) return rail_ ? on_rail_control(context, payload) : on_control(context, payload);
  if (kind == WireKind::credit) {
    egress_.on_credit(context, port, payload, [](const Payload&, PortIndex, SimTime) {});
    return pump(context, port);
  }
  if (kind != WireKind::train && kind != WireKind::control)
    fail(context,
         fmt::format("payload of kind {} came in on port {}; a gpu takes trains", payload.kind, port));
  const bool is_whole = port == nvlink_port && passes_nvlink_by(payload);
  const SimTime tail = context.now() + (is_whole ? SimTime{0} : in_lines_[port].of(payload.bytes));
  if (to_of(payload) == self_) return arrive(context, payload, tail);
  if (!delegation_ && !(rail_ && port == nic_port) && (port != nvlink_port || !is_connected(nic_port)))
    fail(context, fmt::format("a train for {} came in on port {}, which this GPU cannot forward",
                              name_of(to_of(payload)), port));
  if (!delegation_ && !rail_) return forward(context, payload, tail);
  // Back from the NIC: lost or corrupt, and for the circuit that leads to its receiver once more.
  const bool is_back = port == nic_port && book_[from_of(payload)].server == book_[self_].server;
  const bool is_retry = is_back && payload.count > 0;
  if (is_back && !is_retry) check_returned(context, payload);
  Payload later = payload;
  later.kind =
      static_cast<std::uint8_t>(kind == WireKind::train ? GpuWake::forward_train : GpuWake::forward_control);
  const std::uint32_t retries = is_retry ? retries_of(payload) : 0;
  later.count = static_cast<std::uint16_t>(retries << retry_shift | (rail_ && is_retry ? sent_again : 0u));
  context.wake(tail, later);
}

/// PXN: what another GPU of this server sends goes on when its tail is here.
void GpuTransport::forward(Context& context, const Payload& payload, SimTime tail) {
  Payload work = payload;
  work.count = 0;
  if (kind_of(work) == WireKind::control) return context.send(nic_port, tail, work);
  work.kind = static_cast<std::uint8_t>(WireKind::message);
  proxy_.post(context, tail, work);
}

void GpuTransport::on_wake(Context& context, const Payload& payload) {
  if (kind_of(payload) == WireKind::wake) return injectors_[payload.a]->on_wake(context, egress_, *this);
  Payload work = payload;
  switch (static_cast<GpuWake>(payload.kind)) {
    case GpuWake::forward_train:
    case GpuWake::forward_control:
      work.kind = static_cast<std::uint8_t>(
          static_cast<GpuWake>(payload.kind) == GpuWake::forward_train ? WireKind::train : WireKind::control);
      if (delegation_) return pass_on(context, work);
      if (kind_of(work) == WireKind::control) return send_control_on_rail(context, work);
      work.kind = static_cast<std::uint8_t>(WireKind::message);
      // What is sent again is the NIC's work: no proxy thread, and nobody waits for its completion.
      return send_on_rail(context, work, (work.count & sent_again) != 0, false, {});
    case GpuWake::proxy:
      return proxy_.on_wake(context);
    case GpuWake::rail:
      return rail_->on_timer(context);
    default:
      LIGHTRAIL_EXPECT(false);
  }
}

void GpuTransport::finish(Context& context) {
  for (std::size_t d = 0; d < by_dimension_.size(); ++d) {
    const Counter& counter = by_dimension_[d];
    if (counter.messages == 0) continue;
    const std::array<std::int64_t, 4> row{self_.value, static_cast<std::int64_t>(d), counter.bytes,
                                          counter.messages};
    context.record(tables::traffic, row);
  }
  for (const auto& [to, bytes] : by_receiver_) {
    const std::array<std::int64_t, 3> row{self_.value, to, bytes};
    context.record(tables::traffic_matrix, row);
  }
  egress_.finish(context);
}

std::vector<std::string> GpuTransport::waits_for() const {
  std::vector<std::string> all = egress_.waits_for();
  if (rail_)
    if (std::string wait = rail_->waits_for(); !wait.empty()) all.push_back(std::move(wait));
  for (std::size_t port = 0; port < injectors_.size(); ++port)
    if (injectors_[port] && !injectors_[port]->is_idle())
      all.push_back(fmt::format("port {}: {} messages ({} B) wait for credits", port,
                                injectors_[port]->active_messages(), injectors_[port]->active_bytes()));
  return all;
}

void GpuTransport::save(StateWriter& out) const {
  egress_.save(out);
  for (const auto& injector : injectors_)
    if (injector) injector->save(out);
  proxy_.save(out), arrivals_.save(out);
  out.put(memory_free_at_), out.put(notices_), out.put(by_dimension_), out.put(by_receiver_);
  if (rail_) rail_->save(out);
  if (!delegation_) return;
  delegation_->save(out);
  out.put(held_), out.put(held_transfers_.size());
  for (const auto& [t, left] : held_transfers_) {
    out.put(left), out.put(t.is_exchange), out.put(t.to), out.put(t.connection), out.put(t.payload_bytes),
        out.put(t.wire_bytes);
    out.put(t.dimension), out.put(t.notify), out.put(t.owner), out.put(t.is_by_gpu);
  }
}

void GpuTransport::load(StateReader& in) {
  egress_.load(in);
  for (auto& injector : injectors_)
    if (injector) injector->load(in);
  proxy_.load(in), arrivals_.load(in);
  in.get(memory_free_at_), in.get(notices_), in.get(by_dimension_), in.get(by_receiver_);
  if (rail_) rail_->load(in);
  if (!delegation_) return;
  delegation_->load(in);
  std::size_t held = 0;
  in.get(held_), in.get(held);
  held_transfers_.assign(held, {});
  for (auto& [t, left] : held_transfers_) {
    in.get(left), in.get(t.is_exchange), in.get(t.to), in.get(t.connection), in.get(t.payload_bytes),
        in.get(t.wire_bytes);
    in.get(t.dimension), in.get(t.notify), in.get(t.owner), in.get(t.is_by_gpu);
  }
}

}  // namespace lightrail
