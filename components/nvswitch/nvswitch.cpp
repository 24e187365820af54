#include "components/nvswitch/nvswitch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "network/port/build_checks.hpp"
#include "network/port/reports.hpp"
#include "network/wire/delegated_train.hpp"

namespace lightrail {

namespace {

/// What goes on from a train that was summed or is copied.
Frame made_from(Train train, EndpointId from, EndpointId to, std::uint32_t bytes) {
  train.kind = MessageKind::train, train.bytes = bytes;
  train.address = Address(from, to, train.address.connection());
  return frame_of(train);
}

void check_planes(const Element& element, const NvswitchSpec& spec, ErrorList& errors) {
  if (spec.gpu_links > 0 && spec.gpu_links < spec.planes)
    errors.add(element.error_at(
        "gpu-links", fmt::format("<nvswitch> attribute 'gpu-links': {} links of a GPU for {} planes "
                                 "(expected one a plane or more)",
                                 spec.gpu_links, spec.planes)));
  if (spec.plane_hash == PlaneHash::flow && spec.planes == 1)
    errors.add(element.error_at("plane-hash",
                                "<nvswitch> attribute 'plane-hash': one plane leaves nothing to hash over "
                                "(expected planes of 2 or more)"));
}

}  // namespace

std::vector<std::uint32_t> NvswitchSpec::plane_shares() const {
  std::vector<std::uint32_t> shares;
  if (plane_hash == PlaneHash::packet) return shares;
  const std::uint32_t links = gpu_links == 0 ? planes : gpu_links;
  for (std::uint32_t k = 0; k < planes; ++k) shares.push_back(links * (k + 1) / planes - links * k / planes);
  return shares;
}

Nvswitch::Nvswitch(const BuildContext& build)
    : model_(build.model),
      self_(build.id),
      spec_(static_cast<const NvswitchSpec&>(build.spec)),
      book_(build.model.resource<AddressBook>()),
      spares_(build.model.resource<SpareServers>()),
      crossbar_(build, spec_.latency),
      reductions_(build.record.port_count),
      gpu_at_(build.record.port_count / spec_.separate_planes()) {
  const std::uint32_t planes = spec_.separate_planes();
  check_port_count(build, spec_.ports * planes);
  LIGHTRAIL_EXPECT(build.record.port_count % planes == 0);  // as plane_shares() has them wired
  chip_ports_ = std::max<std::uint32_t>(build.record.port_count / planes, 1);
  for (std::uint32_t i = 0; i < build.record.port_count; ++i)
    check_port_rate(build, static_cast<PortIndex>(i), spec_.port_rate);
  const auto* health = model_.resource<HealthTable>();
  for (std::uint32_t i = 0; health && i < build.record.port_count; ++i)
    if (const LinkId out = model_.ports[build.record.first_port + i].out;
        out.is_valid() && health->has_outages(out))
      health_ = health;
  for (std::uint32_t i = 0; i < build.record.port_count / planes; ++i) {
    EndpointId gpu;
    LinkId out = model_.ports[build.record.first_port + i].out;
    if (out.is_valid()) gpu.value = model_.components[model_.links[out.value].to.value].number;
    gpu_at_[i] = gpu;
    if (!book_ || gpu.value >= book_->gpu_count) continue;
    const AddressBook::Entry& entry = (*book_)[gpu];
    server_ = entry.server;
    if (!entry.lid.is_valid()) continue;
    if (entry.nic >= on_rail_.size()) on_rail_.resize(entry.nic + 1);
    on_rail_[entry.nic].push_back(static_cast<PortIndex>(i));
  }
  desk_ = RecallDesk::make(build, crossbar_, {gpu_at_.begin(), gpu_at_.size()});
}

PortIndex Nvswitch::port_to(EndpointId to) const {
  if (!book_ || to.value >= book_->endpoints.size()) return unroutable;
  const AddressBook::Entry& entry = (*book_)[to];
  if (entry.server == server_ && to.value < book_->gpu_count)
    return entry.local < gpu_at_.size() && gpu_at_[entry.local] == to ? entry.local : unroutable;
  if (entry.server == server_) return unroutable;
  for (std::size_t i = 0; i < on_rail_.size(); ++i) {
    const auto& ports = on_rail_[(entry.nic + i) % on_rail_.size()];
    if (!ports.empty()) return ports[entry.local % ports.size()];
  }
  return unroutable;
}

PortIndex Nvswitch::likely_port(const Frame& frame, PortIndex port) const {
  if (DelegatedTrain::carries(frame.kind)) return beside(port, as<DelegatedTrain>(frame).via);
  const EndpointId to = frame.address.to();
  if (!book_ || to.value >= book_->endpoints.size()) return unroutable;
  const AddressBook::Entry& entry = (*book_)[to];
  return beside(port, entry.server == server_ ? entry.local : entry.nic);
}

void Nvswitch::prefetch(std::span<const Delivery> events, std::span<const OutLink> links) const {
  bool needs_all = false;
  const auto prefetch_port = [&](PortIndex port) {
    if (port >= links.size()) return;
    crossbar_.egress().prefetch(port);
    prefetch_line(&links[port]);
  };
  for (const Delivery& delivery : events) {
    if (delivery.port >= links.size()) continue;  // its own
    const auto frame = as<Frame>(delivery.event.payload);
    if (frame.kind == MessageKind::flow_control) {
      crossbar_.egress().prefetch_queue();
      prefetch_port(delivery.port);
      continue;
    }
    crossbar_.prefetch_input(delivery.port, frame.lane);
    if (frame.kind == MessageKind::reduce || frame.kind == MessageKind::multicast ||
        frame.kind == MessageKind::fold)
      needs_all = true;
    else
      prefetch_port(likely_port(frame, delivery.port));
  }
  if (!needs_all) return;
  prefetch_lines(links.data(), links.size_bytes());
  crossbar_.egress().prefetch_all();
}

void Nvswitch::handle(const Event& event, PortIndex port, Context& context) {
  dispatch(event, port, context);
  if (health_ && crossbar_.egress().has_cut_off()) on_cut_off(context);
}

void Nvswitch::dispatch(const Event& event, PortIndex port, Context& context) {
  const Payload& p = event.payload;
  const MessageKind kind = kind_of(p);
  if (kind == MessageKind::flow_control) {
    crossbar_.on_flow_control(context, p, port);
    return;
  }
  if (desk_ && on_recall(context, p, port)) return;
  if (port == self_port) return on_own(p, context);
  on_train(context, p, port);
  if (desk_) desk_->note(port, as<Frame>(p).bytes);
}

void Nvswitch::on_train(Context& context, const Payload& p, PortIndex port) {
  const MessageKind kind = kind_of(p);
  if (kind == MessageKind::reduce) return reduce(context, as<Train>(p), port);
  if (kind == MessageKind::multicast) return multicast(context, as<Train>(p), port);
  if (kind == MessageKind::fold) return fold(context, as<Train>(p), port);
  const auto frame = as<Frame>(p);
  if (DelegatedTrain::carries(kind)) return delegate(context, frame, port);
  if (kind != MessageKind::train && kind != MessageKind::control)
    throw SimulationError(context.now(), model_.component_name(context.self()),
                          fmt::format("{} on port {}; an nvswitch forwards trains", unexpected(p), port));
  const PortIndex out = port_to(frame.address.to());
  if (out == unroutable)
    throw SimulationError(context.now(), model_.component_name(context.self()),
                          fmt::format("endpoint {} ({}) is neither a GPU of this server nor on a rail of it",
                                      frame.address.to().value, endpoint_name(model_, frame.address.to())));
  crossbar_.forward(context, frame, port, beside(port, out));
}

bool Nvswitch::on_recall(Context& context, const Payload& payload, PortIndex port) {
  const MessageKind kind = kind_of(payload);
  if (port == self_port && payload.kind() == static_cast<std::uint8_t>(CarryWake::Kind::carry))
    desk_->on_wake(context, as<CarryWake>(payload));
  else if (kind == MessageKind::coming)
    desk_->on_coming(context, as<recall::Coming>(payload), port);
  else if (kind == MessageKind::recall_report)
    desk_->on_report(context, as<recall::Report>(payload), port);
  else
    return false;
  return true;
}

void Nvswitch::delegate(Context& context, const Frame& frame, PortIndex port) {
  const auto train = as<DelegatedTrain>(frame);
  const auto out = beside(port, train.via);
  if (train.is_bypass()) return context.send(out, context.now(), to_payload(frame));
  crossbar_.forward(context, frame, port, out);
}

void Nvswitch::handle_all(EventBatch& batch) {
  if (book_)
    for (const Delivery& delivery : batch.ahead())
      book_->prefetch(as<Frame>(delivery.event.payload).address.to());
  batch.for_each(
      [this](const Event& event, PortIndex port, Context& context) { handle(event, port, context); });
}

std::vector<PortIndex> Nvswitch::members(const Context& context, const Train& train, EndpointId head) const {
  const auto* plans = model_.resource<GroupPlans>();
  if (!plans || !book_ || head.value >= book_->gpu_count)
    throw SimulationError(
        context.now(), model_.component_name(context.self()),
        fmt::format("{}, which is of no group of this system", unexpected(to_payload(train))));
  // A spare server's GPUs are members in the place of those that they stand for, each in that one's place.
  const EndpointId member = spares_ ? spares_->logical(head) : head;
  const GroupPlan& plan = plans->of(GroupKindId{train.address.connection().group_kind()}, member);
  const std::uint32_t server = plan.server_of(plan.index_of(member));
  std::vector<PortIndex> ports;
  for (std::uint32_t i = plan.server_first[server]; i < plan.server_first[server + 1]; ++i)
    ports.push_back((*book_)[plan.members[i]].local);
  return ports;
}

std::vector<PortIndex> Nvswitch::nvls_members(const Context& context, const Train& train,
                                              EndpointId head) const {
  if (spec_.nvls_efficiency == 0)
    throw SimulationError(context.now(), model_.component_name(context.self()),
                          fmt::format("{}; this nvswitch neither reduces nor multicasts (nvls-efficiency {})",
                                      unexpected(to_payload(train)), spec_.nvls_efficiency));
  return members(context, train, head);
}

/// The train is in the switch's memory when its tail is here: its buffer is free then.
void Nvswitch::take(Context& context, const Train& train, PortIndex port) {
  const Frame frame = frame_of(train);
  crossbar_.take(context, frame, port, crossbar_.tail(context, frame, port));
}

void Nvswitch::reduce(Context& context, const Train& train, PortIndex port) {
  const EndpointId head = train.address.to();
  const std::uint64_t flow = flow_of(head, train.address.connection());
  const std::uint32_t complete =
      reductions_.add(flow, local(port), train.bytes, nvls_members(context, train, head));
  take(context, train, port);
  if (complete == 0) return;
  const auto out = beside(port, port_to(head));
  crossbar_.send(context, made_from(train, head, head, complete), port, out);
}

void Nvswitch::multicast(Context& context, const Train& train, PortIndex port) {
  const EndpointId head = train.address.from();
  take(context, train, port);
  for (PortIndex out : nvls_members(context, train, head))
    crossbar_.send(context, made_from(train, head, gpu_at_[out], train.bytes), port, beside(port, out));
}

/// Cut-through: what goes out follows the head that came in last.
void Nvswitch::fold(Context& context, const Train& train, PortIndex port) {
  const std::vector<PortIndex> ports = members(context, train, train.address.from());
  const EndpointId first = gpu_at_[ports.front()];
  const std::uint64_t flow = flow_of(first, train.address.connection());
  const std::uint32_t complete = reductions_.add(flow, local(port), train.bytes, ports);
  take(context, train, port);
  if (complete == 0) return;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const EndpointId before = gpu_at_[ports[(i + ports.size() - 1) % ports.size()]];
    crossbar_.send(context, made_from(train, before, gpu_at_[ports[i]], complete), port,
                   beside(port, ports[i]));
  }
}

std::vector<std::string> Nvswitch::waits_for() const {
  if (restarts_jobs(model_)) return {};  // GPUs say what they wait for
  std::vector<std::string> all = crossbar_.egress().waits_for();
  reductions_.for_each_waiting([&](std::uint64_t flow, std::span<const std::int64_t> ahead) {
    const GroupPlan& plan = model_.resource<GroupPlans>()->of(
        GroupKindId{Connection{static_cast<std::uint32_t>(flow & 0xffffff)}.group_kind()},
        EndpointId{static_cast<std::uint32_t>(flow >> 24)});
    std::int64_t bytes = 0;
    std::vector<std::string> missing;
    for (const EndpointId gpu : plan.members) {
      if ((*book_)[gpu].server != server_) continue;
      const std::int64_t here = ahead[(*book_)[gpu].local];
      bytes += here;
      if (here == 0) missing.push_back(model_.component_name(book_->component_of[gpu.value]));
    }
    all.push_back(fmt::format("{} B wait for what {} {} not sent", bytes, fmt::join(missing, ", "),
                              missing.size() == 1 ? "has" : "have"));
  });
  return all;
}

void Nvswitch::save(StateWriter& out) const {
  crossbar_.save(out), reductions_.save(out), discards_.save(out);
  if (desk_) desk_->save(out);
}

void Nvswitch::load(StateReader& in) {
  crossbar_.load(in), reductions_.load(in), discards_.load(in);
  if (desk_) desk_->load(in);
}

void Nvswitch::finish(Context& context) {
  crossbar_.finish(context), discards_.finish(context);
  if (desk_) desk_->finish(context);
  record_power(context, model_, spec_.power, crossbar_.egress());
}

std::shared_ptr<const ComponentKind> nvswitch_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "nvswitch";
  kind->doc =
      "NVSwitch plane of one server: a crossbar between its GPUs with credits. Trains to other servers go to "
      "the local GPU on the destination's rail (PXN). With nvls-efficiency it adds and multicasts for the "
      "GPUs "
      "(NVLS). Chips have links of their own with plane-hash='flow'.";
  kind->hot_bytes = sizeof(Nvswitch);
  kind->prefetches = true;
  kind->weight = 8;
  kind->ports = {{"i", "GPUs of the server", "to local GPU i; plane-hash='flow': of chip i / GPUs"}};
  kind->statistics = {{"link_use", "payload and busy time of every output by interval"},
                      {"link_traffic", "the same by group kind and kind of connection"},
                      {"queue", "largest backlog and total wait of every output and lane"},
                      {"power", "energy of the switch and of the links it drives"},
                      {"recalled", "collectives of its GPUs that went as one before them, or why not"}};
  bind_spec(*kind,
            Describe<NvswitchSpec>()
                .field("ports", &NvswitchSpec::ports, "GPUs it can connect", 1u, 4096u)
                .field("port-rate", &NvswitchSpec::port_rate, "fastest link of one GPU, one direction",
                       BitRate{1}, BitRate{1'000'000'000'000'000})
                .field("buffer", &NvswitchSpec::buffer, "input buffer of one port and lane", Bytes{64},
                       Bytes{1ll << 31})
                .field("lanes", &NvswitchSpec::lanes, "virtual lanes", 1u, max_lanes)
                .field("latency", &NvswitchSpec::latency, "pipeline, head in to head out of an idle switch",
                       SimTime{0}, milliseconds(1))
                .field("nvls-efficiency", &NvswitchSpec::nvls_efficiency,
                       "share of the links' rate that reduction and multicast reach (NVLS); 0: it has none",
                       0.0, 1.0)
                .field("planes", &NvswitchSpec::planes, "chips, each joined to all GPUs", 1u, 64u)
                .field("gpu-links", &NvswitchSpec::gpu_links,
                       "NVLinks of a GPU, spread evenly over the chips; 0: one a chip", 0u, 1024u)
                .choice("plane-hash", &NvswitchSpec::plane_hash,
                        "packet: every message uses all chips alike; flow: what two endpoints send on a "
                        "connection takes one, with that chip's links alone",
                        {{"packet", PlaneHash::packet}, {"flow", PlaneHash::flow}})
                .field("power", &NvswitchSpec::power, "electrical power, for the power table; 0: not known",
                       Watts{0}, Watts{1e6}));
  kind->make_spec = [make = kind->make_spec](const Element& element, ErrorList& errors) {
    auto spec = make(element, errors);
    check_planes(element, static_cast<const NvswitchSpec&>(*spec), errors);
    return spec;
  };
  accept_sources(*kind);
  kind->make = [](const BuildContext& build) { return std::make_unique<Nvswitch>(build); };
  return kind;
}

}  // namespace lightrail
