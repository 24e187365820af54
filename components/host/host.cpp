#include "components/host/host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "engine/base/transfer_time.hpp"
#include "network/port/reports.hpp"
#include "network/wire/injector_wake.hpp"
#include "network/wire/phase.hpp"
#include "network/wire/work_request.hpp"

namespace lightrail {
namespace {

std::uint64_t key_of(EndpointId gpu, std::uint32_t ordinal) {
  return std::uint64_t{gpu.value} << 16 | ordinal;
}

std::uint32_t ordinal_of(Connection connection) {
  return connection.group_kind() << 8 | connection.channel();
}

}  // namespace

Host::Host(const BuildContext& build)
    : model_(build.model),
      spec_(static_cast<const HostSpec&>(build.spec)),
      book_(*build.model.resource<AddressBook>()),
      self_{build.record.number},
      crossbar_(build, spec_.latency),
      spares_(build.model.resource<SpareServers>()) {
  for (std::uint32_t i = 0; i < build.record.port_count; ++i) {
    const auto port = static_cast<PortIndex>(i);
    in_lines_.emplace_back(rate_into(build, port));
    injectors_.emplace_back(build, port, i);
    const LinkId out = model_.ports[build.record.first_port + i].out;
    if (gpus_ == i && !leads_to(model_, out, DeviceRole::nic)) gpus_ = i + 1;
  }
}

Connection Host::io_connection(std::uint32_t ordinal, Phase phase) const {
  return Connection::make(ordinal >> 8, ordinal & 0xff, static_cast<std::uint32_t>(phase))
      .in_attempt(attempt_);
}

void Host::fail(const Context& context, const std::string& what) const {
  throw SimulationError(context.now(), model_.component_name(context.self()), what);
}

PortIndex Host::port_of(EndpointId gpu) const {
  const bool is_mine = gpu.value < book_.gpu_count && book_[gpu].server == book_[self_].server &&
                       book_[gpu].local < injectors_.size() &&
                       crossbar_.egress().is_connected(book_[gpu].local);
  return is_mine ? book_[gpu].local : self_port;
}

PortIndex Host::storage_port(EndpointId gpu, EndpointId server) const {
  const AddressBook* network = book_.behind_host(server);
  if (!network || port_of(gpu) == self_port || !(*network)[gpu].lid.is_valid()) return self_port;
  return static_cast<PortIndex>(gpus_ + (*network)[gpu].nic);
}

void Host::handle(const Event& event, PortIndex port, Context& context) {
  const Payload& p = event.payload;
  if (kind_of(p) == MessageKind::flow_control) {
    const PortIndex opened = crossbar_.on_flow_control(context, p, port);
    return injectors_[opened].pump(context, crossbar_.egress(), *this);
  }
  if (port == self_port) {
    if (kind_of(p) == MessageKind::wake)
      return injectors_[as<InjectorWake>(p).tag].on_wake(context, crossbar_.egress(), *this);
    return on_timer(as<Timer>(p), context);
  }
  if (kind_of(p) == MessageKind::placed_train || on_restart(p, context)) return;
  if (kind_of(p) != MessageKind::train && kind_of(p) != MessageKind::control)
    fail(context, fmt::format("{} on port {}; a host takes trains", unexpected(p), port));
  const auto frame = as<Frame>(p);
  const EndpointId to = frame.address.to();
  if (to == self_) return take(frame, port, context);
  PortIndex out = port_of(to);
  if (out == self_port && port < gpus_) out = storage_port(frame.address.from(), to);
  if (out == self_port)
    fail(context, fmt::format("endpoint {} ({}) is no GPU of this server, and no storage NIC leads there",
                              to.value, endpoint_name(model_, to)));
  crossbar_.forward(context, frame, port, out);
}

bool Host::on_restart(const Payload& p, Context& context) {
  if (kind_of(p) == MessageKind::flush) {
    flush(as<restart_control::Flush>(p), context);
    return true;
  }
  if (kind_of(p) != MessageKind::broken_connection) return false;
  const EndpointId gpu = as<restart_control::BrokenConnection>(p).address.to();
  if (const PortIndex port = port_of(gpu); port != self_port) context.send(port, context.now(), p);
  return true;
}

/// Copies of earlier attempts of the job are forgotten, here and in the NICs.
void Host::flush(const restart_control::Flush& order, Context& context) {
  if (order.attempt <= attempt_) return;
  for (const auto& [key, copy] : copies_) {
    const EndpointId gpu{static_cast<std::uint32_t>(key >> 16)};
    const Op& op = operation(gpu, static_cast<std::uint32_t>(key & 0xffff), context);
    if (op.kind == OpKind::host_copy && op.peer == 0)
      discards_.add(DiscardedAt::receiver, op.bytes - copy.left);
  }
  copies_.clear();
  attempt_ = order.attempt;
  for (Injector& injector : injectors_)
    for (const Injector::Rest& rest : injector.take_all())
      if (is_payload(rest.head.kind)) discards_.add(DiscardedAt::sender, rest.bytes);
  for (std::uint32_t port = gpus_; port < context.port_count(); ++port)
    if (crossbar_.egress().is_connected(static_cast<PortIndex>(port)))
      context.send(static_cast<PortIndex>(port), context.now(), to_payload(order));
}

void Host::on_timer(const Timer& timer, Context& context) {
  if (timer.attempt != attempt_) return;
  switch (timer.kind) {
    case Wake::copy_written:
      return post(timer.gpu, MessageKind::control, io_connection(timer.ordinal, Phase::io_done),
                  control_bytes, context);
    case Wake::copy_asked:
      copies_[key_of(timer.gpu, timer.ordinal)].left = operation(timer.gpu, timer.ordinal, context).bytes;
      return read_next(timer.gpu, timer.ordinal, context);
    case Wake::piece_read:
      if (operation(timer.gpu, timer.ordinal, context).kind == OpKind::storage_write)
        write_piece(timer.gpu, timer.ordinal, timer.bytes, context);
      else
        post(timer.gpu, MessageKind::train, io_connection(timer.ordinal, Phase::io_data), timer.bytes,
             context);
      return read_next(timer.gpu, timer.ordinal, context);
  }
}

SimTime Host::use_memory(std::int64_t bytes, SimTime now) {
  return memory_free_at_ =
             std::max(memory_free_at_, now) + transfer_time(Bytes{bytes}, spec_.memory_bandwidth);
}

void Host::write_piece(EndpointId gpu, std::uint32_t ordinal, std::uint32_t bytes, Context& context) {
  const Op& op = operation(gpu, ordinal, context);
  const EndpointId to{book_.first_storage +
                      storage_server_of(op, in_job(gpu), {book_.storage_count, book_.frontend_storage})};
  const PortIndex nic =
      book_.behind_host(to) ? storage_port(gpu, to) : static_cast<PortIndex>(gpus_ + book_[gpu].nic);
  if (nic >= context.port_count() || !crossbar_.egress().is_connected(nic))
    fail(context, fmt::format("no NIC leads to endpoint {} ({})", to.value, endpoint_name(model_, to)));
  context.send(nic, context.now(),
               to_payload(WorkRequest{.bytes = bytes,
                                      .address = Address(gpu, to, io_connection(ordinal, Phase::io_data))}));
}

const Op& Host::operation(EndpointId gpu, std::uint32_t ordinal, const Context& context) const {
  const auto* set = model_.resource<ProgramSet>();
  const auto* indexes = model_.resource<ProgramIndexes>();
  const Op* op = set && indexes ? io_operation(*set, *indexes, in_job(gpu), ordinal) : nullptr;
  if (!op || (op->kind != OpKind::host_copy && op->io == IoMode::own))
    fail(context, fmt::format("endpoint {} ({}) asks for its I/O operation {}, which is no host copy",
                              gpu.value, endpoint_name(model_, gpu), ordinal));
  return *op;
}

void Host::take(const Frame& frame, PortIndex port, Context& context) {
  const EndpointId gpu = frame.address.from();
  const Connection connection = frame.address.connection();
  const std::uint32_t ordinal = ordinal_of(connection);
  const SimTime tail = context.now() + in_lines_[port].of(frame.bytes);
  if (connection.attempt() < attempt_) {
    crossbar_.take(context, frame, port, tail);
    return discards_.add(DiscardedAt::arrival, frame);
  }
  attempt_ = connection.attempt();
  if (connection.phase() == static_cast<std::uint32_t>(Phase::io_request)) {
    crossbar_.take(context, frame, port, tail);
    return context.wake(tail, to_payload(timer_of(Wake::copy_asked, gpu, ordinal)));
  }
  const SimTime written = std::max(tail, use_memory(frame.bytes, context.now()));
  crossbar_.take(context, frame, port, written);
  auto [copy, is_new] = copies_.try_emplace(key_of(gpu, ordinal));
  if (is_new) copy->second.left = operation(gpu, ordinal, context).bytes;
  if ((copy->second.left -= frame.bytes) > 0) return;
  copies_.erase(copy);
  context.wake(written, to_payload(timer_of(Wake::copy_written, gpu, ordinal)));
}

void Host::read_next(EndpointId gpu, std::uint32_t ordinal, Context& context) {
  auto copy = copies_.find(key_of(gpu, ordinal));
  const std::int64_t bytes = std::min(copy->second.left, spec_.stage.value);
  copy->second.left -= bytes;
  if (bytes == 0) return void(copies_.erase(copy));
  context.wake(use_memory(bytes, context.now()),
               to_payload(timer_of(Wake::piece_read, gpu, ordinal, static_cast<std::uint32_t>(bytes))));
}

void Host::post(EndpointId gpu, MessageKind kind, Connection connection, std::int64_t bytes,
                Context& context) {
  const PortIndex port = port_of(gpu);
  if (port == self_port) fail(context, fmt::format("endpoint {} is no GPU of this server", gpu.value));
  injectors_[port].post({self_, gpu, connection, bytes, 0, kind, 0, 0}, context.now());
  injectors_[port].pump(context, crossbar_.egress(), *this);
}

void Host::finish(Context& context) {
  crossbar_.finish(context);
  discards_.finish(context);
  record_power(context, model_, spec_.power, crossbar_.egress());
}

std::vector<std::string> Host::waits_for() const {
  if (restarts_jobs(model_)) return {};  // GPUs say what they wait for
  std::vector<std::string> all = crossbar_.egress().waits_for();
  for (const auto& [key, copy] : copies_)
    all.push_back(fmt::format("a host copy of {} misses {} B",
                              endpoint_name(model_, EndpointId{static_cast<std::uint32_t>(key >> 16)}),
                              copy.left));
  return all;
}

void Host::save(StateWriter& out) const {
  crossbar_.save(out);
  for (const Injector& injector : injectors_) injector.save(out);
  out.put(copies_), out.put(memory_free_at_), out.put(attempt_), discards_.save(out);
}

void Host::load(StateReader& in) {
  crossbar_.load(in);
  for (Injector& injector : injectors_) injector.load(in);
  in.get(copies_), in.get(memory_free_at_), in.get(attempt_), discards_.load(in);
}

std::shared_ptr<const ComponentKind> host_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "host";
  kind->doc =
      "Host of a server: PCIe between its GPUs where there is no NVSwitch and to storage NICs, and copies "
      "between GPUs and host memory. "
      "Leaves out NUMA and the CPU's own use of its memory.";
  kind->weight = 2;
  kind->ports = {{"i", "GPUs", "PCIe to local GPU i"}, {"GPUs ...", "NICs", "PCIe to the NICs"}};
  kind->statistics = {{"link_use", "payload and busy time of every output by interval"},
                      {"link_traffic", "the same by group kind and kind of connection"},
                      {"queue", "largest backlog and total wait of every output and lane"},
                      {"power", "energy of the host and of the links it drives"}};
  kind->parameters = host_parameters().documentation();
  for (ParameterDoc& parameter : host_cost_parameters().documentation())
    kind->parameters.push_back(std::move(parameter));
  kind->make_spec = make_host_spec;
  kind->values = [](const Spec& spec) { return host_values(static_cast<const HostSpec&>(spec)); };
  kind->make = [](const BuildContext& build) { return std::make_unique<Host>(build); };
  return kind;
}

}  // namespace lightrail
