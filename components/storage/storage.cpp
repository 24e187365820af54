#include "components/storage/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/model/tables.hpp"
#include "network/port/port_end.hpp"
#include "network/port/reports.hpp"
#include "workloads/program/phase.hpp"

namespace lightrail {
namespace {

constexpr std::int64_t max_stripes = 1024;
/// Sizes of messages have 32 bits.
constexpr std::int64_t largest_stripe = std::int64_t{1} << 30;

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

/// A train counts when its tail is here.
void Storage::handle(const Event& event, PortIndex port, Context& context) {
  const Payload& p = event.payload;
  if (port != self_port) {
    const WireKind kind = kind_of(p);
    if (kind == WireKind::sent) return;
    if (kind != WireKind::train && kind != WireKind::control)
      fail(context,
           fmt::format("payload of kind {} came in on port {}; a storage server takes trains", p.kind, port));
    if (to_of(p) != self_)
      fail(context, fmt::format("a train for endpoint {} ({}) came in", to_of(p).value,
                                endpoint_name(model_, to_of(p))));
    const std::uint8_t wake = kind == WireKind::control ? request : data;
    return context.wake(context.now() + in_lines_[port].of(p.bytes),
                        Payload{wake, 0, 0, p.bytes, ordinal_of(connection_of(p)), from_of(p).value});
  }
  const EndpointId gpu{p.b};
  const std::uint32_t ordinal = p.a;
  switch (p.kind) {
    case request:
      return begin(gpu, ordinal, context);
    case data:
      return fill(gpu, ordinal, p.bytes, context);
    case write_done: {
      auto it = requests_.find(key_of(gpu, ordinal));
      record(context, gpu, true, it->second);
      requests_.erase(it);
      return send(gpu, WireKind::control, io_connection(ordinal, Phase::io_done), control_bytes, context);
    }
    default: {
      send(gpu, WireKind::message, io_connection(ordinal, Phase::io_data), p.bytes, context);
      auto it = requests_.find(key_of(gpu, ordinal));
      if ((it->second.left -= p.bytes) > 0) return;
      record(context, gpu, false, it->second);
      Counter& sent = sent_[it->second.dimension];
      sent.bytes += it->second.bytes;
      ++sent.messages;
      requests_.erase(it);
    }
  }
}

std::int64_t Storage::stripe_of(const Request& r) const {
  return std::clamp((r.bytes + max_stripes - 1) / max_stripes, spec_.stripe.value, largest_stripe);
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
    return send(gpu, WireKind::control, io_connection(ordinal, Phase::io_ready), control_bytes, context);
  }
  const std::int64_t stripe = stripe_of(r);
  for (std::int64_t left = r.bytes; left > 0; left -= std::min(left, stripe)) {
    const std::int64_t bytes = std::min(left, stripe);
    const SimTime at = drives_.serve(bytes, context.now(), {spec_.read_rate, spec_.read_latency});
    r.end = std::max(r.end, at);
    context.wake(at, Payload{stripe_read, 0, 0, static_cast<std::uint32_t>(bytes), ordinal, gpu.value});
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
  if (r.left == 0) context.wake(r.end, Payload{write_done, 0, 0, 0, ordinal, gpu.value});
}

void Storage::send(EndpointId gpu, WireKind kind, Connection connection, std::uint32_t bytes,
                   Context& context) {
  if (nics_.empty()) fail(context, "has no NIC");
  const PortIndex nic = nics_[next_nic_];
  next_nic_ = (next_nic_ + 1) % static_cast<std::uint32_t>(nics_.size());
  context.send(nic, context.now(),
               make_wire(kind, self_, gpu, connection, bytes, kind == WireKind::control ? 1 : 0));
}

void Storage::record(Context& context, EndpointId gpu, bool is_write, const Request& r) const {
  if (!is_recorded_) return;
  const std::array<std::int64_t, 5> row{gpu.value, is_write, r.bytes, r.start.count(), r.end.count()};
  context.record_at(r.start, tables::storage, row);
}

void Storage::finish(Context& context) {
  for (const auto& [dimension, counter] : sent_) {
    if (static_cast<std::size_t>(dimension) >= model_.dimensions.size()) continue;
    const std::array<std::int64_t, 4> row{self_.value, dimension, counter.bytes, counter.messages};
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
