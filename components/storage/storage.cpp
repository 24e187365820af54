#include "components/storage/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "components/storage/tables.hpp"
#include "network/port/port_end.hpp"
#include "network/port/reports.hpp"
#include "network/transport/tables.hpp"
#include "network/wire/train.hpp"
#include "network/wire/work_request.hpp"

namespace lightrail {
namespace {

constexpr std::int64_t max_stripes = 1024;

std::uint64_t key_of(EndpointId gpu, std::uint32_t ordinal) {
  return std::uint64_t{gpu.value} << 16 | ordinal;
}

std::uint32_t ordinal_of(Connection connection) {
  return connection.group_kind() << 8 | connection.channel();
}

Connection io_connection(std::uint32_t ordinal, Phase phase) {
  return Connection::make(ordinal >> 8, ordinal & 0xff, static_cast<std::uint32_t>(phase));
}

}  // namespace

Storage::Storage(const BuildContext& build)
    : model_(build.model),
      spec_(static_cast<const StorageSpec&>(build.spec)),
      self_{build.record.number},
      drives_(spec_.drives) {
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
  if (kind == MessageKind::placed_train) return;
  if (kind != MessageKind::train && kind != MessageKind::control)
    fail(context, fmt::format("{} on port {}; a storage server takes trains", unexpected(payload), port));
  const auto train = as<Train>(payload);
  if (const EndpointId to = train.address.to(); to != self_)
    fail(context, fmt::format("a train for endpoint {} ({}) came in", to.value, endpoint_name(model_, to)));
  context.wake(context.now() + in_lines_[port].of(train.bytes),
               to_payload(Timer{.kind = kind == MessageKind::control ? Wake::request : Wake::data,
                                .bytes = train.bytes,
                                .ordinal = ordinal_of(train.address.connection()),
                                .gpu = train.address.from()}));
}

void Storage::on_timer(const Timer& timer, Context& context) {
  switch (timer.kind) {
    case Wake::request:
      return begin(timer.gpu, timer.ordinal, context);
    case Wake::data:
      return fill(timer.gpu, timer.ordinal, timer.bytes, context);
    case Wake::write_done: {
      auto it = requests_.find(key_of(timer.gpu, timer.ordinal));
      record(context, timer.gpu, true, it->second);
      requests_.erase(it);
      return send_control(timer.gpu, timer.ordinal, Phase::io_done, context);
    }
    case Wake::stripe_read:
      return send_stripe(timer, context);
  }
}

void Storage::send_stripe(const Timer& stripe, Context& context) {
  send_data(stripe.gpu, stripe.ordinal, stripe.bytes, context);
  auto it = requests_.find(key_of(stripe.gpu, stripe.ordinal));
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

void Storage::begin(EndpointId gpu, std::uint32_t ordinal, Context& context) {
  const auto* set = model_.resource<ProgramSet>();
  const auto* indexes = model_.resource<ProgramIndexes>();
  const Op* op = set && indexes ? io_operation(*set, *indexes, gpu, ordinal) : nullptr;
  if (!op || (op->kind != OpKind::storage_read && op->kind != OpKind::storage_write))
    fail(context, fmt::format("endpoint {} ({}) asks for its I/O operation {}, which is no read or write",
                              gpu.value, endpoint_name(model_, gpu), ordinal));
  Request r{op->bytes, op->bytes, 0, context.now(), context.now(), op->dimension};
  if (op->kind == OpKind::storage_write) {
    requests_[key_of(gpu, ordinal)] = r;
    return send_control(gpu, ordinal, Phase::io_ready, context);
  }
  const std::int64_t stripe = stripe_of(r);
  for (std::int64_t left = r.bytes; left > 0; left -= std::min(left, stripe)) {
    const std::int64_t bytes = std::min(left, stripe);
    const SimTime at = drives_.serve(bytes, context.now(), {spec_.read_rate, spec_.read_latency});
    r.end = std::max(r.end, at);
    context.wake(at, to_payload(Timer{.kind = Wake::stripe_read,
                                      .bytes = static_cast<std::uint32_t>(bytes),
                                      .ordinal = ordinal,
                                      .gpu = gpu}));
  }
  requests_[key_of(gpu, ordinal)] = r;
}

void Storage::fill(EndpointId gpu, std::uint32_t ordinal, std::int64_t bytes, Context& context) {
  auto it = requests_.find(key_of(gpu, ordinal));
  if (it == requests_.end())
    fail(context, fmt::format("data of endpoint {} ({}) came in without a request", gpu.value,
                              endpoint_name(model_, gpu)));
  Request& r = it->second;
  r.left -= bytes;
  r.filled += bytes;
  for (const std::int64_t stripe = stripe_of(r); r.filled >= stripe || (r.left == 0 && r.filled > 0);) {
    const std::int64_t full = std::min(r.filled, stripe);
    r.end = std::max(r.end, drives_.serve(full, context.now(), {spec_.write_rate, spec_.write_latency}));
    r.filled -= full;
  }
  if (r.left == 0)
    context.wake(r.end, to_payload(Timer{.kind = Wake::write_done, .ordinal = ordinal, .gpu = gpu}));
}

void Storage::send_data(EndpointId gpu, std::uint32_t ordinal, std::uint32_t bytes, Context& context) {
  const Address address(self_, gpu, io_connection(ordinal, Phase::io_data));
  send(to_payload(WorkRequest{.bytes = bytes, .address = address}), context);
}

void Storage::send_control(EndpointId gpu, std::uint32_t ordinal, Phase phase, Context& context) {
  const Address address(self_, gpu, io_connection(ordinal, phase));
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
  for (const auto& [dimension, counter] : sent_) {
    if (static_cast<std::size_t>(dimension) >= model_.dimensions.size()) continue;
    const WholeRun& whole = context.whole_run();
    const std::array<std::int64_t, 4> row{self_.value, dimension, whole.of(counter.bytes),
                                          whole.of(counter.messages)};
    context.record(tables::traffic, row);
  }
}

std::vector<std::string> Storage::waits_for() const {
  std::vector<std::string> all;
  for (const auto& [key, r] : requests_)
    all.push_back(fmt::format("a request of {} over {} B misses {} B",
                              endpoint_name(model_, EndpointId{static_cast<std::uint32_t>(key >> 16)}),
                              r.bytes, r.left));
  return all;
}

void Storage::save(StateWriter& out) const {
  drives_.save(out);
  out.put(requests_), out.put(next_nic_), out.put(sent_);
}

void Storage::load(StateReader& in) {
  drives_.load(in);
  in.get(requests_), in.get(next_nic_), in.get(sent_);
}

std::shared_ptr<const ComponentKind> storage_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "storage";
  kind->doc =
      "Storage server: drives with rate, latency and queue behind a NIC, requests striped over them. Leaves "
      "out the file "
      "system, caches and replication.";
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
                       .field("stripe", &StorageSpec::stripe, "piece of a request on one drive", Bytes{512},
                              Bytes{1ll << 24}));
  kind->make = [](const BuildContext& build) { return std::make_unique<Storage>(build); };
  return kind;
}

}  // namespace lightrail
