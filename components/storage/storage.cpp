#include "components/storage/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "components/storage/tables.hpp"
#include "network/port/port_end.hpp"
#include "network/port/reports.hpp"
#include "network/transport/tables.hpp"
#include "network/wire/train.hpp"
#include "network/wire/work_request.hpp"

namespace lightrail {
namespace {

constexpr std::int64_t max_stripes = 1024;

std::uint32_t ordinal_of(Connection connection) {
  return connection.group_kind() << 8 | connection.channel();
}

}  // namespace

Connection Storage::Client::connection(Phase phase) const {
  return Connection::make(ordinal >> 8, ordinal & 0xff, static_cast<std::uint32_t>(phase))
      .in_attempt(attempt);
}

Storage::Storage(const BuildContext& build)
    : model_(build.model),
      spec_(static_cast<const StorageSpec&>(build.spec)),
      self_{build.record.number},
      drives_(spec_.drives),
      spares_(build.model.resource<SpareServers>()) {
  const auto* output = build.model.resource<OutputSelection>();
  is_recorded_ = output && output->is_recorded(tables::storage);
  for (std::uint32_t i = 0; i < build.record.port_count; ++i) {
    const PortEnd end = port_end(build, static_cast<PortIndex>(i));
    in_lines_.emplace_back(end.in_rate);
    if (end.is_connected) nics_.push_back(static_cast<PortIndex>(i));
  }
}

void Storage::fail(const Context& context, const std::string& what) const {
  throw SimulationError(context.now(), model_.component_name(context.self()), what);
}

void Storage::handle(const Event& event, PortIndex port, Context& context) {
  if (port == self_port) return on_timer(as<Timer>(event.payload), context);
  if (kind_of(event.payload) != MessageKind::sent) take(event.payload, port, context);
}

/// A train counts when its tail is here.
void Storage::take(const Payload& payload, PortIndex port, Context& context) {
  const MessageKind kind = kind_of(payload);
  // Nobody here waits for an answer: the GPU that does not come any more is told of by others.
  if (kind == MessageKind::placed_train || kind == MessageKind::broken_connection) return;
  if (kind != MessageKind::train && kind != MessageKind::control)
    fail(context, fmt::format("{} on port {}; a storage server takes trains", unexpected(payload), port));
  const auto train = as<Train>(payload);
  if (const EndpointId to = train.address.to(); to != self_)
    fail(context, fmt::format("a train for endpoint {} ({}) came in", to.value, endpoint_name(model_, to)));
  const Connection connection = train.address.connection();
  const Client client{train.address.from(), ordinal_of(connection),
                      static_cast<std::uint8_t>(connection.attempt())};
  if (!is_current(client)) return discards_.add(DiscardedAt::arrival, frame_of(train));
  const Wake wake = kind == MessageKind::control ? Wake::request : Wake::data;
  context.wake(context.now() + in_lines_[port].of(train.bytes),
               to_payload(timer_of(wake, client, train.bytes)));
}

bool Storage::is_current(const Client& client) {
  if (client.attempt == 0 && attempts_.empty()) return true;
  std::uint8_t& attempt = attempts_[client.gpu.value];
  if (client.attempt < attempt) return false;
  if (client.attempt == attempt) return true;
  attempt = client.attempt;
  for (auto it = requests_.begin(); it != requests_.end();) {
    const bool is_of_gpu = (it->first >> 16 & endpoint_mask) == client.gpu.value;
    if (is_of_gpu) drop(it->second);
    it = is_of_gpu ? requests_.erase(it) : std::next(it);
  }
  return true;
}

/// Of a read, what was sent of it is traffic nonetheless.
void Storage::drop(const Request& request) {
  const std::int64_t moved = request.bytes - request.left;
  if (request.is_write != 0) return discards_.add(DiscardedAt::receiver, moved);
  if (moved > 0) sent_[request.dimension].bytes += moved;
}

void Storage::on_timer(const Timer& timer, Context& context) {
  const Client client = client_of(timer);
  switch (timer.kind) {
    case Wake::request:
      return begin(client, context);
    case Wake::data:
      return fill(client, timer.bytes, context);
    case Wake::write_done: {
      auto it = requests_.find(client.key());
      if (it == requests_.end()) return;  // the job was restarted
      record(context, timer.gpu, true, it->second);
      requests_.erase(it);
      return send_control(client, Phase::io_done, context);
    }
    case Wake::stripe_read:
      return send_stripe(timer, context);
    case Wake::opened:
      return open(client, context);
  }
}

void Storage::send_stripe(const Timer& stripe, Context& context) {
  auto it = requests_.find(client_of(stripe).key());
  if (it == requests_.end()) return;  // the job was restarted
  send_data(client_of(stripe), stripe.bytes, context);
  if ((it->second.left -= stripe.bytes) > 0) return;
  record(context, stripe.gpu, false, it->second);
  Counter& sent = sent_[it->second.dimension];
  sent.bytes += it->second.bytes;
  ++sent.messages;
  requests_.erase(it);
}

std::int64_t Storage::stripe_of(const Request& r) const {
  return std::clamp((r.bytes + max_stripes - 1) / max_stripes, spec_.stripe.value, max_work_bytes);
}

void Storage::begin(const Client& client, Context& context) {
  const auto* set = model_.resource<ProgramSet>();
  const auto* indexes = model_.resource<ProgramIndexes>();
  const EndpointId in_job = spares_ ? spares_->logical(client.gpu) : client.gpu;
  const Op* op = set && indexes ? io_operation(*set, *indexes, in_job, client.ordinal) : nullptr;
  if (!op || (op->kind != OpKind::storage_read && op->kind != OpKind::storage_write))
    fail(context, fmt::format("endpoint {} ({}) asks for its I/O operation {}, which is no read or write",
                              client.gpu.value, endpoint_name(model_, client.gpu), client.ordinal));
  Request r{op->bytes, op->bytes, 0, context.now(), context.now(), op->dimension};
  r.is_write = op->kind == OpKind::storage_write ? 1 : 0;
  requests_[client.key()] = r;
  opened_at_ = std::max(opened_at_, context.now()) + spec_.metadata;
  if (opened_at_ == context.now()) return open(client, context);
  context.wake(opened_at_, to_payload(timer_of(Wake::opened, client)));
}

void Storage::open(const Client& client, Context& context) {
  auto it = requests_.find(client.key());
  if (it == requests_.end()) return;  // the job was restarted
  Request& r = it->second;
  if (r.is_write != 0) return send_control(client, Phase::io_ready, context);
  const std::int64_t stripe = stripe_of(r);
  for (std::int64_t left = r.bytes; left > 0; left -= std::min(left, stripe)) {
    const std::int64_t bytes = std::min(left, stripe);
    const SimTime at = drives_.serve(bytes, context.now(), {spec_.read_rate, spec_.read_latency});
    r.end = std::max(r.end, at);
    context.wake(at, to_payload(timer_of(Wake::stripe_read, client, static_cast<std::uint32_t>(bytes))));
  }
}

void Storage::fill(const Client& client, std::int64_t bytes, Context& context) {
  auto it = requests_.find(client.key());
  if (it == requests_.end()) {
    if (restarts_jobs(model_)) return discards_.add(DiscardedAt::arrival, bytes);
    fail(context, fmt::format("data of endpoint {} ({}) came in without a request", client.gpu.value,
                              endpoint_name(model_, client.gpu)));
  }
  Request& r = it->second;
  r.left -= bytes;
  r.filled += bytes;
  for (const std::int64_t stripe = stripe_of(r); r.filled >= stripe || (r.left == 0 && r.filled > 0);) {
    const std::int64_t full = std::min(r.filled, stripe);
    r.end = std::max(r.end, drives_.serve(full, context.now(), {spec_.write_rate, spec_.write_latency}));
    r.filled -= full;
  }
  if (r.left == 0) context.wake(r.end, to_payload(timer_of(Wake::write_done, client)));
}

void Storage::send_data(const Client& client, std::uint32_t bytes, Context& context) {
  const Address address(self_, client.gpu, client.connection(Phase::io_data));
  send(to_payload(WorkRequest{.bytes = bytes, .address = address}), context);
}

void Storage::send_control(const Client& client, Phase phase, Context& context) {
  const Address address(self_, client.gpu, client.connection(phase));
  send(to_payload(Train{.kind = MessageKind::control, .bytes = control_bytes, .address = address}), context);
}

void Storage::send(const Payload& message, Context& context) {
  if (nics_.empty()) fail(context, "has no NIC");
  const PortIndex nic = nics_[next_nic_];
  next_nic_ = (next_nic_ + 1) % static_cast<std::uint32_t>(nics_.size());
  context.send(nic, context.now(), message);
}

void Storage::record(Context& context, EndpointId gpu, bool is_write, const Request& r) const {
  if (!is_recorded_) return;
  const std::array<std::int64_t, 5> row{gpu.value, is_write, r.bytes, r.start.count(), r.end.count()};
  context.record_at(r.start, tables::storage, row);
}

void Storage::finish(Context& context) {
  if (restarts_jobs(model_))
    for (const auto& [key, request] : requests_) drop(request);
  discards_.finish(context);
  for (const auto& [dimension, counter] : sent_) {
    if (static_cast<std::size_t>(dimension) >= model_.dimensions.size()) continue;
    const WholeRun& whole = context.whole_run();
    const std::array<std::int64_t, 4> row{self_.value, dimension, whole.of(counter.bytes),
                                          whole.of(counter.messages)};
    context.record(tables::traffic, row);
  }
}

std::vector<std::string> Storage::waits_for() const {
  if (restarts_jobs(model_)) return {};  // GPUs say what they wait for
  std::vector<std::string> all;
  for (const auto& [key, r] : requests_)
    all.push_back(
        fmt::format("a request of {} over {} B misses {} B",
                    endpoint_name(model_, EndpointId{static_cast<std::uint32_t>(key >> 16 & endpoint_mask)}),
                    r.bytes, r.left));
  return all;
}

void Storage::save(StateWriter& out) const {
  drives_.save(out);
  out.put(opened_at_), out.put(requests_), out.put(next_nic_), out.put(sent_), out.put(attempts_);
  discards_.save(out);
}

void Storage::load(StateReader& in) {
  drives_.load(in);
  in.get(opened_at_), in.get(requests_), in.get(next_nic_), in.get(sent_), in.get(attempts_);
  discards_.load(in);
}

std::shared_ptr<const ComponentKind> storage_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "storage";
  kind->doc =
      "Storage server: drives with rate, latency and queue behind a NIC, requests striped over them and "
      "opened one after the other. Leaves out the file system, caches and replication.";
  kind->weight = 2;
  kind->ports = {{"j", "NICs", "PCIe to NIC j"}};
  kind->statistics = {{"storage", "requests with size, start and end"},
                      {"traffic", "payload that was read and sent, by dimension"}};
  const BitRate least{1}, fastest{1'000'000'000'000'000};
  bind_spec(*kind, Describe<StorageSpec>()
                       .field("drives", &StorageSpec::drives, "number of drives", 1u, 4096u)
                       .required("read-rate", &StorageSpec::read_rate, "of one drive", least, fastest)
                       .required("write-rate", &StorageSpec::write_rate, "of one drive", least, fastest)
                       .field("read-latency", &StorageSpec::read_latency, "of one stripe", SimTime{0},
                              milliseconds(1000))
                       .field("write-latency", &StorageSpec::write_latency, "of one stripe", SimTime{0},
                              milliseconds(1000))
                       .field("metadata", &StorageSpec::metadata,
                              "of the server to open and look up what one request is about, one behind the "
                              "other and before its first stripe",
                              SimTime{0}, milliseconds(1000))
                       .field("stripe", &StorageSpec::stripe, "piece of a request on one drive", Bytes{512},
                              Bytes{1ll << 24}));
  kind->make = [](const BuildContext& build) { return std::make_unique<Storage>(build); };
  return kind;
}

}  // namespace lightrail
