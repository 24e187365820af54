#include "components/nic/nic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "components/nic/deferred.hpp"
#include "engine/base/hash.hpp"
#include "engine/base/prefetch.hpp"
#include "network/health/health_table.hpp"
#include "network/port/build_checks.hpp"
#include "network/port/reports.hpp"
#include "network/transport/arrival_reports.hpp"
#include "network/transport/dctcp.hpp"
#include "network/transport/nscc.hpp"
#include "network/wire/congestion_notice.hpp"
#include "network/wire/counted_train.hpp"
#include "network/wire/delegated_train.hpp"
#include "network/wire/injector_wake.hpp"
#include "network/wire/link_change.hpp"
#include "network/wire/marked_train.hpp"
#include "network/wire/repair_timer.hpp"
#include "network/wire/train.hpp"

namespace lightrail {

namespace {

const NicSpec& spec_of(const BuildContext& build) {
  return static_cast<const NicSpec&>(build.spec);
}

/// Of a fabric behind hosts where the device behind it is a host, or a storage server or gateway that stands
/// there.
const AddressBook* book_of(const BuildContext& build) {
  const auto* book = build.model.resource<AddressBook>();
  const std::uint32_t first = spec_of(build).ports;
  if (!book || build.record.port_count <= first) return book;
  const LinkId device = build.model.ports[build.record.first_port + first].out;
  if (const NicRole role = spec_of(build).for_role; role != NicRole::compute) return &book->of(role);
  if (!leads_to(build.model, device, DeviceRole::storage) &&
      !leads_to(build.model, device, DeviceRole::gateway))
    return book;
  const AddressBook* own =
      book->behind_host(EndpointId{build.model.components[build.model.links[device.value].to.value].number});
  return own ? own : book;
}

/// Devices are read at the rate of their PCIe link.
std::vector<Injector::Source> sources_of(const BuildContext& build) {
  std::vector<Injector::Source> sources(build.record.port_count);
  for (std::size_t i = spec_of(build).ports; i < sources.size(); ++i)
    sources[i].read_rate = rate_into(build, static_cast<PortIndex>(i));
  return sources;
}

}  // namespace

Nic::Nic(const BuildContext& build, const NicReturns& returns)
    : book_(book_of(build)),
      spec_(spec_of(build)),
      fabric_(build, spec_.ports, spec_.port_choice, spec_.fail_over, sources_of(build), spec_.send_latency),
      crossbar_(build, spec_.receive_latency),
      endpoint_at_(build.record.port_count),
      returns_(returns),
      work_interval_(transfer_time(Bytes{1}, BitRate{spec_.message_rate * 8})),
      levels_(build.model.resource<ServiceLevels>()),
      model_(build.model) {
  check_port_count(build, DeferredWork::max_port + 1);
  restarts_jobs_ = restarts_jobs(model_);
  congestion_ = model_.resource<CongestionControl>();
  dcqcn_ = model_.resource<Dcqcn>();
  if (const auto* maps = model_.resource<LaneMaps>()) lanes_ = &maps->of(build.record.spec);
  const auto* table = model_.resource<HealthTable>();
  bool can_change = fabric_.changes_at() != time_never;
  for (std::uint32_t port = 0; table && port < spec_.ports; ++port) {
    const LinkId cable = model_.ports[build.record.first_port + port].out;
    can_change |= cable.is_valid() && table->has_outages(cable);
  }
  // Watched where its own cable fails, too, though nobody may stand in for its GPUs.
  if (const auto* health = model_.resource<NicHealth>(); health && (can_change || !health->is_empty()))
    health_ = health;
  LIGHTRAIL_EXPECT(build.record.port_count >= spec_.ports);  // as it is wired
  loops_.reserve(build.record.port_count - spec_.ports);
  const std::vector<Injector::Source> sources = sources_of(build);
  for (std::uint32_t i = 0; i < build.record.port_count; ++i) {
    auto port = static_cast<PortIndex>(i);
    check_port_rate(build, port, i < spec_.ports ? spec_.port_rate : spec_.pcie_rate);
    LinkId out = model_.ports[build.record.first_port + i].out;
    if (out.is_valid()) endpoint_at_[i].value = model_.components[model_.links[out.value].to.value].number;
    if (i >= spec_.ports) loops_.emplace_back(build, port, i, sources, spec_.send_latency);
  }
  if (endpoint_at_.size() > first_device()) first_endpoint_ = endpoint_at_[first_device()];
  mtu_bytes_ = std::max<std::uint32_t>(port_end(build, 0).mtu_bytes, 1);
  count_trains(build);
  if (spec_.flow_control != NicFlowControl::pauses) return;
  const auto* nscc = model_.resource<Nscc>();
  const LossRepairSettings settings{
      .repair = spec_.repair,
      .timeout = spec_.retransmit_timeout,
      .retries = spec_.retries,
      .entropy_values = nscc ? nscc->spec.entropy_values : 1,
      .error_interval = spec_.error_interval,
      .completes_by_acknowledgement = spec_.completion == NicCompletion::acknowledged,
      .tells_marks = model_.resource<Dctcp>() != nullptr};
  const PathChoice choice = nscc ? nscc->spec.path_choice : PathChoice::turns;
  repair_ = std::make_unique<Repair>(
      Repair{RepairSender(settings, spec_.repaired_lanes(), build.model.component_name(build.id)),
             RepairReceiver(settings),
             EntropyValues(settings.entropy_values, choice, hash_combine(build.model.seed, build.id.value))});
  fabric_.repair_by(repair_->sender);
  if (nscc) repair_->sender.choose_by(repair_->values);
  const PortEnd end = port_end(build, 0);
  auto pacing = acknowledged_pacing(
      model_, {end.out_rate, mtu_bytes_, std::max(end.train_bytes(), mtu_bytes_)}, repair_->sender);
  if (!pacing) return;
  pacing_ = pacing.get();
  fabric_.pace_by(std::move(pacing));
}

/// Which of its trains are counted in batches, and for whom, if any.
void Nic::count_trains(const BuildContext& build) {
  counts_trains_ = spec_.for_role == NicRole::compute && spec_.ports == 1 &&
                   spec_.flow_control == NicFlowControl::credits && may_count_trains(model_);
  const auto end = std::min<std::uint32_t>(build.record.port_count, ArrivingBatches::max_ports);
  for (std::uint32_t port = first_device(); counts_trains_ && port < end; ++port) {
    const LinkId out = model_.ports[build.record.first_port + port].out;
    if (out.is_valid() && takes_batches(model_, model_.links[out.value].to) &&
        crossbar_.egress().is_open(static_cast<PortIndex>(port)))
      hears_batches_ |= 1u << port;
  }
}

void Nic::tell_hot(HotLines& lines) const {
  lines.add_all(book_, batches_);
  fabric_.tell_hot(lines);
  crossbar_.tell_hot(lines);
}

/// Nearly all that comes in from the fabric is for the first device, and nearly all else leaves on the first
/// port.
void Nic::prefetch(std::span<const Delivery> events, std::span<const OutLink> links) const {
  prefetch_line(links.data());
  if (first_device() > 1 && first_device() < links.size()) prefetch_line(&links[first_device()]);
  bool sends = false;
  for (const Delivery& delivery : events) {
    const MessageKind kind = kind_of(delivery.event.payload);
    if (delivery.port >= first_device() || kind == MessageKind::flow_control) {
      sends = true;
      continue;
    }
    const auto frame = as<Frame>(delivery.event.payload);
    crossbar_.prefetch_input(delivery.port, frame.lane);
    if (first_device() < links.size()) crossbar_.egress().prefetch(first_device());
    if (hears_batches_ != 0 && frame.kind == MessageKind::train)
      batches_.prefetch(as<CountedTrain>(frame), first_device());
  }
  if (!sends) return;
  crossbar_.egress().prefetch(0);
  crossbar_.egress().prefetch_queue();
  fabric_.prefetch();
}

[[gnu::always_inline]] inline void Nic::handle_event(const Event& event, PortIndex port, Context& context) {
  const Payload& p = event.payload;
  const MessageKind kind = kind_of(p);
  if (kind == MessageKind::flow_control) {
    const PortIndex opened = crossbar_.on_flow_control(context, p, port);
    return injector(opened).pump(context, crossbar_.egress(), *this);
  }
  if (port == self_port) return handle_own(event, context);
  if (port < first_device()) return handle_arrival(p, port, context);
  if (kind == MessageKind::flush) return flush(as<restart_control::Flush>(p), context);
  if (kind == MessageKind::work_request) return accept_work(deferred(as<WorkRequest>(p), port), context);
  if (kind == MessageKind::control) {
    const auto frame = as<Frame>(p);
    if (spec_.for_role != NicRole::compute)
      crossbar_.take(context, frame, port, crossbar_.tail(context, frame, port));
    return accept_work(deferred(as<Train>(p), port), context);
  }
  if (kind == MessageKind::train && spec_.for_role != NicRole::compute)
    return send_on(as<Frame>(p), port, context);
  fail_unexpected(p, port, context);
}

void Nic::handle_all(EventBatch& batch) {
  batch.for_each([this](const Event& event, PortIndex port, Context& context) {
    handle_event(event, port, context);
    if (health_) watch(context);
  });
}

void Nic::fail(const Context& context, const std::string& what) const {
  throw SimulationError(context.now(), model_.component_name(context.self()), what);
}

PortIndex Nic::port_of(EndpointId endpoint) const {
  const EndpointId device = book_ ? book_->device(endpoint) : endpoint;
  if (device == first_endpoint_ && device.is_valid()) return first_device();
  for (std::size_t i = first_device(); i < endpoint_at_.size(); ++i)
    if (endpoint_at_[i] == device) return static_cast<PortIndex>(i);
  const bool is_behind_host = spec_.for_role != NicRole::compute && endpoint_at_.size() > first_device() &&
                              (*book_)[endpoint].server == (*book_)[endpoint_at_[first_device()]].server;
  return is_behind_host ? first_device() : 0;
}

void Nic::handle(const Event& event, PortIndex port, Context& context) {
  handle_event(event, port, context);
  if (health_) watch(context);
}

void Nic::handle_own(const Event& event, Context& context) {
  const Payload& p = event.payload;
  const MessageKind kind = kind_of(p);
  if (kind == MessageKind::link_change) {
    const bool is_idle = is_idle_wake(event);
    crossbar_.on_link_change(context, as<LinkChange>(p));
    fabric_.pump(context, crossbar_.egress(), *this);
    if (is_idle) context.count_as_idle();  // nothing waits, so that watch() asks no time
    return;
  }
  if (kind == MessageKind::wake)
    return injector(as<InjectorWake>(p).tag).on_wake(context, crossbar_.egress(), *this);
  if (kind == MessageKind::repair_timer) return on_repair_timer(as<RepairTimer>(p).address, context);
  if (Retransmission::is_for(kind)) return send_original(as<Train>(p), context);
  start_work(as<DeferredWork>(p), context);
}

/// From the fabric.
void Nic::handle_arrival(const Payload& p, PortIndex port, Context& context) {
  const MessageKind kind = kind_of(p);
  if (kind == MessageKind::train || kind == MessageKind::control) {
    receive(as<Frame>(p), as<Frame>(p), port, context);
    return;
  }
  if (kind == MessageKind::marked_train) {
    const Frame train = on_marked(as<Frame>(p), context);
    receive(train, train, port, context);
    return;
  }
  if (kind == MessageKind::congestion_notice && (congestion_ || dcqcn_))
    return on_notice(as<Frame>(p), port, context);
  if (repair_ && NumberedTrain::carries(kind)) {
    const bool is_marked = kind == MessageKind::marked_numbered_train;
    const auto train = as<Frame>(p);
    return receive_numbered(as<NumberedTrain>(is_marked ? on_marked(train, context) : train), is_marked, port,
                            context);
  }
  if (repair_ && Acknowledgement::carries(kind))
    return on_acknowledgement(as<Acknowledgement>(p), port, context);
  if (Retransmission::is_for(kind)) return send_again(as<Train>(p), context);
  if (kind == MessageKind::broken_connection) {
    const auto broken = as<restart_control::BrokenConnection>(p);
    if (crossbar_.take(context, as<Frame>(p), port, context.now())) tell_of_break(broken.address, context);
    return;
  }
  fail_unexpected(p, port, context);
}

void Nic::fail_unexpected(const Payload& p, PortIndex port, const Context& context) const {
  fail(context,
       fmt::format("{} on port {}; a nic takes trains from the fabric and work requests from its devices",
                   unexpected(p), port));
}

/// It met congestion: its sender is told. Returns it without its marks.
Frame Nic::on_marked(const Frame& train, Context& context) {
  if (congestion_ ||
      (dcqcn_ && notice_pacer_.is_due(train.address.word(), dcqcn_->spec.notice_interval, context.now())))
    notify(train, context);
  if (MarkedTrain::carries(train.kind)) return frame_of(as<MarkedTrain>(train).plain(mtu_bytes_));
  Frame own = train;
  own.kind = MessageKind::numbered_train;
  return own;
}

void Nic::notify(const Frame& train, Context& context) {
  const Address back(train.address.to(), train.address.from(), train.address.connection());
  const std::uint32_t marks = congestion_ ? marks_of(train) : 1;
  answer({MessageKind::congestion_notice, train.lane, static_cast<std::uint16_t>(marks),
          congestion_ ? CongestionNotice::wire_bytes : CongestionNotice::roce_wire_bytes, back},
         context);
}

/// A notice or acknowledgement has come in. What goes first takes no room.
bool Nic::has_room_for(const Frame& frame, PortIndex in, Context& context) {
  return spec_.answers == NicAnswers::first || crossbar_.take(context, frame, in, context.now());
}

/// A notice or acknowledgement goes back.
void Nic::answer(const Frame& frame, Context& context) {
  const Address& back = frame.address;
  const std::uint8_t lane = levels_ ? lane_of(back, false) : frame.lane;
  if (spec_.answers == NicAnswers::first) {
    Frame first = frame;
    first.lane = lane;
    return crossbar_.egress().send_first(context, port_for(back, lane, context.now()), first,
                                         context.now() + spec_.send_latency);
  }
  post({back.from(), back.to(), back.connection(), frame.bytes, lane, frame.kind, 0, none, frame.detail},
       context.now());
  fabric_.pump(context, crossbar_.egress(), *this);
}

/// Trains that were sent from here met congestion.
void Nic::on_notice(const Frame& frame, PortIndex in, Context& context) {
  if (!has_room_for(frame, in, context)) return;
  // All ports have the pace of the first one.
  fabric_[0].slow_down(frame.address.to(), frame.address.from(), frame.address.connection(),
                       as<CongestionNotice>(frame).marks, context.now());
}

/// `train`, which is on the wire as `came`, goes on to its device. False: the buffer had no room.
bool Nic::receive(const Frame& train, const Frame& came, PortIndex in, Context& context) {
  const EndpointId to = train.address.to();
  PortIndex out = port_of(to);
  if (out == 0 && ((health_ && !health_->is_empty()) || returns_.strays == StrayTrains::to_gpu))
    out = first_device();
  if (out == 0)
    fail(context, fmt::format("a train for endpoint {} ({}) arrived, which is not attached here{}", to.value,
                              endpoint_name(model_, to), circuit_here(context)));
  Frame leaving = train;
  if (train.kind == MessageKind::train && as<CountedTrain>(train).is_counted) {
    const auto counted = as<CountedTrain>(train);
    const auto answer = hears_batches(out) ? batches_.add(counted, out) : ArrivingBatches::Answer{};
    if (answer.told == ArrivingBatches::Told::nothing)
      return crossbar_.pass(context, train, in, out, nullptr);
    if (answer.told == ArrivingBatches::Told::rest) {
      const Payload rest = to_payload(BatchRest::of(train.address, answer.rest_bytes, train.bytes));
      return crossbar_.pass(context, train, in, out, &rest);
    }
    leaving = frame_of(plain_train(counted, mtu_bytes_));
  }
  if (spec_.for_role != NicRole::compute) leaving.lane = 0;
  if (leaving.kind == came.kind && leaving.lane == came.lane)
    return crossbar_.forward(context, leaving, in, out);
  return crossbar_.forward_as(context, came, leaving, in, out);
}

/// Light goes where circuits lead, whatever its address.
std::string Nic::circuit_here(const Context& context) const {
  const LinkId out = model_.ports[model_.components[context.self().value].first_port].out;
  const ComponentId far = model_.links[out.value].to;
  const auto* spec = dynamic_cast<const BufferedSpec*>(model_.specs[model_.components[far.value].spec].get());
  if (!spec || !spec->is_transparent()) return "";
  return fmt::format(": a circuit of {} leads from its sender to here", model_.component_name(far));
}

void Nic::finish(Context& context) {
  crossbar_.finish(context);
  discards_.finish(context);
  record_power(context, model_, spec_.power, crossbar_.egress());
  if (repair_) record_repair(context);
}

bool Nic::is_idle_wake(const Event& event) const {
  if (kind_of(event.payload) == MessageKind::repair_timer)
    return repair_->sender.is_idle(as<RepairTimer>(event.payload).address);
  return kind_of(event.payload) == MessageKind::link_change && fabric_.is_idle() &&
         !crossbar_.egress().has_waiting(static_cast<PortIndex>(as<LinkChange>(event.payload).port));
}

std::vector<std::string> Nic::waits_for() const {
  if (restarts_jobs_) return {};  // GPUs say what they wait for
  std::vector<std::string> all = crossbar_.egress().waits_for();
  for (std::uint32_t i = 0; i < endpoint_at_.size(); ++i)
    if (const Injector& from = i < spec_.ports ? fabric_[i] : loops_[i - spec_.ports]; !from.is_idle())
      all.push_back(fmt::format("port {}: {} messages ({} B) wait for {}", i, from.active_messages(),
                                from.active_bytes(), crossbar_.egress().awaited(static_cast<PortIndex>(i))));
  if (repair_)
    if (std::string wait = repair_->sender.waits_for(); !wait.empty()) all.push_back(std::move(wait));
  return all;
}

void Nic::save(StateWriter& out) const {
  crossbar_.save(out);
  fabric_.save(out);
  for (const Injector& loop : loops_) loop.save(out);
  out.put(watched_until_), out.put(looked_until_);
  out.put(work_free_at_), out.put(resent_);
  notices_.save(out);
  notice_pacer_.save(out), out.put(attempt_), discards_.save(out), batches_.save(out);
  if (repair_) repair_->sender.save(out), repair_->receiver.save(out), repair_->values.save(out);
}

void Nic::load(StateReader& in) {
  crossbar_.load(in);
  fabric_.load(in);
  for (Injector& loop : loops_) loop.load(in);
  in.get(watched_until_), in.get(looked_until_);
  in.get(work_free_at_), in.get(resent_);
  notices_.load(in);
  notice_pacer_.load(in), in.get(attempt_), discards_.load(in), batches_.load(in);
  if (repair_) repair_->sender.load(in), repair_->receiver.load(in), repair_->values.load(in);
}

}  // namespace lightrail
