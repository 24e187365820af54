#include "components/gpu/transport/gpu_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "components/gpu/transport/gpu_wakes.hpp"
#include "components/gpu/transport/paths/paths.hpp"
#include "network/transport/tables.hpp"
#include "network/wire/counted_train.hpp"
#include "network/wire/delegated_train.hpp"
#include "network/wire/injector_wake.hpp"
#include "network/wire/meeting.hpp"
#include "network/wire/phase.hpp"
#include "network/wire/restart_control.hpp"

namespace lightrail {

GpuTransport::GpuTransport(const BuildContext& build, EndpointId self, BitRate memory_bandwidth)
    : in_lines_(build.record.port_count),
      host_(build, self),
      paths_(make_paths(build, host_)),
      queue_pairs_(QueuePairEnds::make(build, host_)),
      output_(build.model.resource<OutputSelection>()),
      memory_bandwidth_(memory_bandwidth),
      sent_{.by_dimension = std::vector<SentPayload::Counter>(build.model.dimensions.size()),
            .by_receiver = {}},
      memory_(CollectiveMemory::make(build, host_)) {
  for (std::uint32_t port = 0; port < build.record.port_count; ++port)
    in_lines_[port] = LineTime(rate_into(build, static_cast<PortIndex>(port)));
  for (const auto& path : paths_) {
    if (ExchangePlanner* planner = path->planner()) planner_ = planner;
    if (MessageSplitter* splitter = path->splitter()) splitter_ = splitter;
    has_slow_control_ |= path->has_slow_control();
  }
  LIGHTRAIL_EXPECT(!queue_pairs_ || !splitter_);  // read_queue_pairs() refuses both
  if (queue_pairs_) splitter_ = &queue_pairs_->receiver();
}

Medium GpuTransport::medium(EndpointId named) const {
  const EndpointId peer = host_.addresses().of(named);
  if (peer == self()) return Medium::local;
  if (!host_.is_near(peer)) return Medium::net;
  return host_.is_gpu(peer) && host_.is_connected(GpuPort::nvlink) ? Medium::nvlink : Medium::pci;
}

Path& GpuTransport::path_to(const Context& context, EndpointId to, Cargo cargo) const {
  for (const auto& path : paths_)
    if (path->leads_to(context.now(), to, cargo)) return *path;
  host_.fail(
      context,
      fmt::format("{} cannot be reached: this GPU has no NIC{}", host_.name_of(to),
                  host_.is_connected(GpuPort::nvlink) ? " and no local GPU that may forward (pxn)" : ""));
}

PortIndex GpuTransport::port_near(const Context& context, EndpointId to) const {
  if (host_.is_gpu(to) && host_.is_connected(GpuPort::nvlink)) return GpuPort::nvlink;
  if (host_.is_connected(GpuPort::host)) return GpuPort::host;
  host_.fail(context, fmt::format("{} cannot be reached: neither NVLink nor a host joins it to this GPU",
                                  host_.name_of(to)));
}

void GpuTransport::count(const Transfer& transfer) {
  const bool is_to_self = transfer.to == self();
  if (is_to_self && transfer.in_switch == InSwitch::nothing)
    return;  // a copy within its memory is no traffic
  // What a switch sums or multicasts goes to no endpoint alone.
  const bool has_receiver = transfer.in_switch == InSwitch::nothing || transfer.in_switch == InSwitch::fold;
  const bool is_in_matrix =
      !is_to_self && has_receiver && output_ && output_->is_recorded(tables::traffic_matrix, self());
  for (SentPayload* sent : {&sent_, memory_ ? memory_->sent_of(transfer.owner) : nullptr}) {
    if (!sent) continue;
    if (transfer.dimension < sent_.by_dimension.size())
      count(*sent, transfer.dimension, transfer.payload_bytes);
    if (is_in_matrix) sent->by_receiver[transfer.to.value] += transfer.payload_bytes;
  }
}

void GpuTransport::count(SentPayload& sent, std::uint16_t dimension, std::int64_t payload) {
  if (dimension >= sent.by_dimension.size()) sent.by_dimension.resize(dimension + 1);
  sent.by_dimension[dimension].bytes += payload;
  ++sent.by_dimension[dimension].messages;
}

void GpuTransport::tell_start(Context& context, const RecallableStart& start) {
  if (memory_) memory_->start(context, start, memory_free_at_ <= context.now());
}

void GpuTransport::meet(Context& context, const Appointment& appointment) {
  if (appointment.payload_bytes > 0 && appointment.dimension < sent_.by_dimension.size())
    count(sent_, appointment.dimension, appointment.payload_bytes);
  const auto port = static_cast<PortIndex>(context.port_count() - appointment.port_from_last);
  context.send(port, context.now() + appointment.skew,
               to_payload(meeting::Arrived{
                   .program = appointment.program, .op = appointment.op, .slot = appointment.slot}));
}

Transfer GpuTransport::addressed(Transfer transfer) const {
  const AttemptAddresses& addresses = host_.addresses();
  transfer.to = addresses.of(transfer.to);
  transfer.by = addresses.of(transfer.by);
  transfer.connection = addresses.of(transfer.connection);
  return transfer;
}

void GpuTransport::send(Context& context, const Transfer& transfer) {
  if (host_.addresses().is_first()) [[likely]]
    return send_addressed(context, transfer);
  send_addressed(context, addressed(transfer));
}

void GpuTransport::send_addressed(Context& context, const Transfer& transfer) {
  LIGHTRAIL_EXPECT(transfer.wire_bytes > 0);
  count(transfer);
  if (transfer.in_switch != InSwitch::nothing) return send_to_switch(context, transfer);
  if (transfer.by.is_valid())  // the host knows from the program how much
    return send_control_addressed(
        context, transfer.by,
        Connection::make(transfer.connection.group_kind(), transfer.connection.channel(),
                         static_cast<std::uint32_t>(Phase::io_request))
            .in_attempt(transfer.connection.attempt()));
  if (transfer.to == self()) return send_local(context, transfer);
  if (!host_.is_near(transfer.to)) {
    Path& path = path_to(context, transfer.to, transfer.is_by_gpu ? Cargo::message_by_gpu : Cargo::message);
    if (queue_pairs_ && QueuePairEnds::takes(transfer)) return queue_pairs_->send(context, transfer, path);
    return path.send(context, transfer);
  }
  const SendToken token = token_of(transfer);
  host_.inject(context, port_near(context, transfer.to),
               {self(), transfer.to, transfer.connection, transfer.wire_bytes, 0, MessageKind::train, 0,
                token.value()});
}

void GpuTransport::send_to_switch(Context& context, const Transfer& transfer) {
  LIGHTRAIL_EXPECT(!transfer.notify);
  MessageKind kind = MessageKind::train;
  switch (transfer.in_switch) {
    case InSwitch::fabric_reduce:
      return host_.post_transfer(context, transfer);
    case InSwitch::reduce:
      kind = MessageKind::reduce;
      break;
    case InSwitch::fold:
      kind = MessageKind::fold;
      break;
    case InSwitch::multicast:
      kind = MessageKind::multicast;
      break;
    case InSwitch::nothing:
      break;
  }
  LIGHTRAIL_EXPECT(kind != MessageKind::train && host_.is_connected(GpuPort::nvlink));
  host_.inject(context, GpuPort::nvlink,
               {self(), transfer.to, transfer.connection, transfer.wire_bytes, 0, kind, 0,
                SendToken::nobody().value()});
}

void GpuTransport::send_control(Context& context, EndpointId to, Connection connection) {
  send_control_addressed(context, host_.addresses().of(to), host_.addresses().of(connection));
}

void GpuTransport::send_control_addressed(Context& context, EndpointId to, Connection connection) {
  const Train control{
      .kind = MessageKind::control, .bytes = control_bytes, .address = Address(self(), to, connection)};
  if (to == self()) return host_.arrive(context, control, context.now());
  if (!host_.is_near(to)) return path_to(context, to, Cargo::control).send_control(context, control);
  host_.inject(
      context, port_near(context, to),
      {self(), to, connection, control_bytes, 0, MessageKind::control, 0, SendToken::nobody().value()});
}

/// Read and written at the memory's bandwidth, one message after the other: here when it is all read.
void GpuTransport::send_local(Context& context, const Transfer& transfer) {
  for (std::int64_t left = transfer.wire_bytes; left > 0;) {
    const std::int64_t piece = std::min(left, max_work_bytes);
    memory_free_at_ =
        std::max(memory_free_at_, context.now()) + transfer_time(Bytes{2 * piece}, memory_bandwidth_);
    host_.arrive(context,
                 Train{.bytes = static_cast<std::uint32_t>(piece),
                       .address = Address(self(), self(), transfer.connection)},
                 memory_free_at_);
    left -= piece;
  }
  if (transfer.notify) host_.tell_sent(transfer.owner, memory_free_at_);
}

void GpuTransport::expect(Context& context, const Expectation& named) {
  if (host_.addresses().is_first()) [[likely]]
    return expect_addressed(context, named);
  Expectation expectation = named;
  expectation.from = host_.addresses().of(named.from);
  expectation.connection = host_.addresses().of(named.connection);
  expect_addressed(context, expectation);
}

void GpuTransport::expect_addressed(Context& context, const Expectation& expectation) {
  if (splitter_ && splitter_->expect(context, expectation)) return;
  host_.expect(context, expectation);
}

void GpuTransport::wake_after(Context& context, SimTime delay, Owner owner) {
  const SimTime end = context.now() + delay;
  context.wake(end, to_payload(OwnerWake{.kind = GpuWake::timer,
                                         .attempt = static_cast<std::uint8_t>(host_.addresses().attempt()),
                                         .owner = owner}));
  if (memory_) memory_->on_wake_set(context.now(), owner, end);
}

bool GpuTransport::wants_demand(std::uint16_t dimension) const {
  return planner_ && planner_->wants_demand(dimension);
}

void GpuTransport::announce_ahead(Context& context, std::span<const PeerBytes> demand, bool is_known) {
  planner_->announce_ahead(context, demand, is_known);
}

bool GpuTransport::predicts_from_history() const {
  return planner_ && planner_->predicts_from_history();
}

void GpuTransport::announce_absence(Context& context) {
  if (planner_) planner_->announce_absence(context);
}

bool GpuTransport::start_exchange(Context& context, std::span<const PeerBytes> demand, Owner owner) {
  return planner_->start_exchange(context, demand, owner);
}

void GpuTransport::prefetch_arrival(const Payload& payload) const {
  if (kind_of(payload) == MessageKind::train || kind_of(payload) == MessageKind::batch_rest)
    host_.prefetch_arrival(as<Frame>(payload).address.flow());
}

void GpuTransport::on_wire(Context& context, const Payload& payload, PortIndex port) {
  const MessageKind kind = kind_of(payload);
  if (port == GpuPort::control) return on_control(context, payload);
  if (kind == MessageKind::train || kind == MessageKind::control) {
    const auto train = as<Train>(payload);
    return on_train(context, train, host_.side_of(port), tail_of(context, train.bytes, port));
  }
  if (kind == MessageKind::batch_rest) {
    const auto rest = as<BatchRest>(payload);
    const PortIndex side = host_.side_of(port);
    const std::uint32_t last = rest.last_bytes();
    on_train(context, Train{.bytes = rest.bytes - last, .address = rest.address}, side, context.now());
    return on_train(context, Train{.bytes = last, .address = rest.address}, side,
                    tail_of(context, last, port));
  }
  if (kind == MessageKind::flow_control) return host_.on_flow_control(context, port, payload);
  if (kind == MessageKind::placed_train) return;
  if (host_.side_of(port) == GpuPort::nvlink && DelegatedTrain::carries(kind)) {
    const auto train = as<DelegatedTrain>(payload);
    return on_train(context, plain_train(train), GpuPort::nvlink,
                    train.is_bypass() ? context.now() : tail_of(context, train.bytes, port));
  }
  if (port == GpuPort::nic && ReturnedTrain::carries(kind)) {
    const auto train = as<ReturnedTrain>(payload);
    for (const auto& path : paths_)
      if (path->on_returned_train(context, train, tail_of(context, train.bytes, port))) return;
  }
  if (port == GpuPort::nic && kind == MessageKind::returned_work) {
    const auto work = as<ReturnedWork>(payload);
    if (host_.addresses().is_over(work.address.connection()))
      return work.is_control ? void() : host_.discard(DiscardedAt::sender, work.bytes);
    for (const auto& path : paths_)
      if (path->on_returned(context, work)) return;
  }
  host_.fail(context, fmt::format("{} on port {}; a gpu takes trains", unexpected(payload), port));
}

void GpuTransport::on_control(Context& context, const Payload& payload) {
  for (const auto& path : paths_)
    if (path->on_control(context, payload)) return;
  host_.fail(context,
             fmt::format(
                 "{} on port {}; a gpu there takes what its controller says of circuits and control messages",
                 unexpected(payload), GpuPort::control));
}

void GpuTransport::on_train(Context& context, const Train& train, PortIndex port, SimTime tail) {
  if (host_.addresses().is_over(train.address.connection())) [[unlikely]]
    return host_.discard(DiscardedAt::arrival, frame_of(train));
  if (splitter_ && splitter_->arrive(context, train, tail)) return;
  if (train.address.to() == self()) return host_.arrive(context, train, tail);
  for (const auto& path : paths_)
    if (path->pass_on(context, train, port, tail)) return;
  host_.fail(context, fmt::format("a train for {} came in on port {}, which this GPU cannot forward",
                                  host_.name_of(train.address.to()), port));
}

void GpuTransport::on_notice(Context& context, const SentNotice& notice) {
  if (host_.addresses().is_over(notice.address.connection())) return;
  for (const auto& path : paths_)
    if (path->on_notice(context, notice)) return;
  host_.on_notice(context, notice);
}

void GpuTransport::on_wake(Context& context, const Payload& payload) {
  if (kind_of(payload) == MessageKind::wake)
    return host_.on_injector_wake(context, as<InjectorWake>(payload).tag);
  if (gpu_wake_of(payload) == GpuWake::proxy) return host_.on_proxy_wake(context);
  for (const auto& path : paths_)
    if (path->on_wake(context, payload)) return;
  LIGHTRAIL_EXPECT(!"a timer of this GPU's paths");
}

void GpuTransport::halt(Context& context, std::uint32_t attempt) {
  host_.addresses().halt(attempt);
  host_.drop_all();
  for (const auto& path : paths_) host_.discard(DiscardedAt::receiver, path->drop_all());
  if (queue_pairs_) host_.discard(DiscardedAt::receiver, queue_pairs_->drop_all());
  const Payload flush = to_payload(restart_control::Flush{.attempt = static_cast<std::uint8_t>(attempt)});
  for (std::uint32_t i = 0; i < context.port_count(); ++i) {
    const auto port = static_cast<PortIndex>(i);
    const bool is_nic = port == GpuPort::nic || (port >= GpuPort::second_nic && host_.side_of(port) == port);
    if ((is_nic && i + 1 < context.port_count()) || port == GpuPort::host)
      if (host_.is_connected(port)) context.send(port, context.now(), flush);
  }
}

void GpuTransport::finish(Context& context) {
  for (std::size_t d = 0; d < sent_.by_dimension.size(); ++d) {
    const SentPayload::Counter& counter = sent_.by_dimension[d];
    if (counter.messages == 0) continue;
    const std::array<std::int64_t, 4> row{self().value, static_cast<std::int64_t>(d), counter.bytes,
                                          counter.messages};
    context.record(tables::traffic, row);
  }
  for (const auto& [to, bytes] : sent_.by_receiver) {
    const std::array<std::int64_t, 3> row{self().value, to, bytes};
    context.record(tables::traffic_matrix, row);
  }
  host_.finish(context);
  if (memory_) memory_->finish(context);
}

std::vector<std::string> GpuTransport::waits_for() const {
  std::vector<std::string> all = host_.waits_for_line();
  const auto add = [&](std::vector<std::string> waits) {
    for (std::string& wait : waits) all.push_back(std::move(wait));
  };
  for (const auto& path : paths_) add(path->waits_for());
  add(host_.waits_for_ports());
  return all;
}

void GpuTransport::save(StateWriter& out) const {
  host_.save(out);
  out.put(memory_free_at_), sent_.save(out);
  for (const auto& path : paths_) path->save(out);
  if (queue_pairs_) queue_pairs_->save(out);
  if (memory_) memory_->save(out);
}

void GpuTransport::load(StateReader& in) {
  host_.load(in);
  in.get(memory_free_at_), sent_.load(in);
  for (const auto& path : paths_) path->load(in);
  if (queue_pairs_) queue_pairs_->load(in);
  if (memory_) memory_->load(in);
}

}  // namespace lightrail
