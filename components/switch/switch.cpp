#include "components/switch/switch.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/hash.hpp"
#include "network/port/build_checks.hpp"
#include "network/port/reports.hpp"
#include "workloads/collective/group_plan.hpp"

namespace lightrail {

namespace {

void check_sums(const Element& element, const SwitchSpec& spec, ErrorList& errors) {
  const auto complain = [&](const char* attribute, const char* what) {
    errors.add(element.error_at(attribute, fmt::format("<switch> attribute '{}': {}", attribute, what)));
  };
  const bool is_idle = spec.sharp_efficiency == 0;
  const char* idle = "the switch makes no sums (expected a sharp-efficiency above 0 beside it)";
  if (is_idle && spec.sharp_radix > 0) complain("sharp-radix", idle);
  if (is_idle && spec.sharp_buffer.value > 0) complain("sharp-buffer", idle);
  if (spec.sharp_radix == 1)
    complain("sharp-radix", "1 branch leaves nothing to add (expected 2 or more; 0: any)");
}

}  // namespace

Switch::Switch(const BuildContext& build)
    : model_(build.model),
      spec_(static_cast<const SwitchSpec&>(build.spec)),
      path_(build, spec_, spec_.queueing),
      reductions_(build.record.port_count) {
  if (const auto* congestion = build.model.resource<CongestionControl>();
      congestion && congestion->spec().threshold > 0)
    marker_.emplace(build, *congestion, spec_.buffer,
                    hash_combine(hash_combine(build.model.seed, build.id.value), 1));
  is_plain_ = !path_.has_levels() && !marker_;
}

/// Where lanes are of service levels, or trains are marked.
void Switch::forward(const Frame& frame, PortIndex in, Context& context) {
  Frame leaving = path_.on_own_lane(frame);
  const RouteChoice way = path_.way_of(leaving, in, context);
  leaving.lane = way.lane;
  if (marker_) leaving = marker_->marked(leaving, way.port, path_.crossbar().egress(), context);
  Frame came = leaving;
  came.lane = frame.lane;
  path_.crossbar().forward_on_lane(context, came, in, way.port, way.lane);
}

[[gnu::always_inline]] inline void Switch::take_event(const Event& event, PortIndex port, Context& context) {
  const Payload& p = event.payload;
  const MessageKind kind = kind_of(p);
  Crossbar& crossbar = path_.crossbar();
  if (kind == MessageKind::train || kind == MessageKind::control) {
    const auto frame = as<Frame>(p);
    if (!is_plain_) {
      forward(frame, port, context);
    } else {
      const RouteChoice way = path_.way_of(frame, port, context);
      if (way.lane != frame.lane) [[unlikely]]
        crossbar.forward_on_lane(context, frame, port, way.port, way.lane);
      else
        crossbar.forward(context, frame, port, way.port);
    }
  } else if (kind == MessageKind::flow_control) {
    crossbar.on_flow_control(context, p, port);
  } else {
    handle_rare(p, port, context);
  }
  if (crossbar.egress().has_cut_off()) path_.on_cut_off(context);
}

void Switch::handle(const Event& event, PortIndex port, Context& context) {
  take_event(event, port, context);
}

void Switch::handle_rare(const Payload& payload, PortIndex port, Context& context) {
  if (path_.take_rare(payload, port, context)) return;
  const MessageKind kind = kind_of(payload);
  if (kind == MessageKind::marked_train || kind == MessageKind::congestion_notice ||
      kind == MessageKind::broken_connection)
    return forward(as<Frame>(payload), port, context);
  if (kind == MessageKind::reduce) return reduce(context, as<Train>(payload), port);
  if (kind == MessageKind::multicast) {
    const auto sum = as<Train>(payload);
    take(context, sum, port);
    return spread(context, sum, port, node_of(context, sum, port));
  }
  path_.fail(context, fmt::format("{} on port {}; a switch forwards trains", unexpected(payload), port));
}

void Switch::take(Context& context, const Train& train, PortIndex port) {
  const Frame frame = frame_of(train);
  path_.crossbar().take(context, frame, port, path_.crossbar().tail(context, frame, port));
}

const ReductionTree::Node& Switch::node_of(Context& context, const Train& train, PortIndex port) const {
  const auto* plans = model_.resource<GroupPlans>();
  const EndpointId from = train.address.from();
  const ReductionTree::Node* node = nullptr;
  if (const AddressBook* book = path_.book(); plans && book && from.value < book->gpu_count) {
    const GroupPlan& plan = plans->of(GroupKindId{train.address.connection().group_kind()}, from);
    const std::uint32_t index = plan.index_of(from), place = index - plan.server_first[plan.server_of(index)];
    if (place < plan.fabric_sums.trees.size()) node = plan.fabric_sums.trees[place].node_at(context.self());
  }
  if (!node)
    path_.fail(context,
               fmt::format("{} on port {}; this switch is in none of the sender's trees (sharp-efficiency "
                           "{})",
                           unexpected(to_payload(train)), port, spec_.sharp_efficiency));
  return *node;
}

void Switch::reduce(Context& context, const Train& train, PortIndex port) {
  const ReductionTree::Node& node = node_of(context, train, port);
  const Connection connection = train.address.connection();
  const GroupPlan& plan =
      model_.resource<GroupPlans>()->of(GroupKindId{connection.group_kind()}, train.address.from());
  const EndpointId first = plan.rail_head(plan.index_of(train.address.from()));
  const std::uint32_t complete =
      reductions_.add(flow_of(first, connection), port, train.bytes, node.branches);
  take(context, train, port);
  if (complete == 0) return;
  Train sum = train;
  sum.bytes = complete, sum.address = Address(first, first, connection);
  if (node.up == self_port) return spread(context, sum, port, node);
  path_.crossbar().send(context, path_.on_own_lane(frame_of(sum)), port, node.up);
}

void Switch::spread(Context& context, const Train& sum, PortIndex port, const ReductionTree::Node& node) {
  for (std::size_t i = 0; i < node.branches.size(); ++i) {
    Train copy = sum;
    const EndpointId head = node.heads[i];
    const bool is_member = head != ReductionTree::no_head;
    copy.kind = is_member ? MessageKind::train : MessageKind::multicast;
    if (is_member) copy.address = Address(head, head, sum.address.connection());
    path_.crossbar().send(context, path_.on_own_lane(frame_of(copy)), port, node.branches[i]);
  }
}

bool Switch::is_idle_wake(const Event& event) const {
  return path_.is_idle_wake(event);
}

std::vector<std::string> Switch::waits_for() const {
  std::vector<std::string> all = path_.waits_for();
  if (const std::int64_t bytes = reductions_.waiting_bytes(); bytes > 0 && !path_.restarts_jobs())
    all.push_back(fmt::format("{} B wait to be added to what other servers have not sent", bytes));
  return all;
}

void Switch::handle_all(EventBatch& batch) {
  for (const Delivery& delivery : batch.ahead()) path_.prefetch_waiting(delivery);
  batch.for_each(
      [this](const Event& event, PortIndex port, Context& context) { take_event(event, port, context); });
}

void Switch::finish(Context& context) {
  path_.finish(context);
}

void Switch::save(StateWriter& out) const {
  path_.save(out);
  if (marker_) marker_->save(out);
  reductions_.save(out);
}

void Switch::load(StateReader& in) {
  path_.load(in);
  if (marker_) marker_->load(in);
  reductions_.load(in);
}

std::shared_ptr<const ComponentKind> switch_kind(const RoutingRegistry& routings) {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "switch";
  kind->doc =
      "Lossless packet switch (InfiniBand): credits per virtual lane, cut-through, static, ECMP or adaptive "
      "routing. "
      "Every input has its own buffer; outputs serve trains in order of arrival, lanes by their weights. "
      "Marks trains where there is <congestion-control>. Leaves out link errors.";
  kind->can_fail = true;
  kind->hot_bytes = sizeof(Switch);
  kind->prefetches = true;
  kind->weight = 8;
  kind->ports = {{"0 ...", "ports", "to NICs, switches, optical switches; either way up to port-rate"}};
  kind->statistics = {{"link_use", "payload and busy time of every output by interval"},
                      {"link_traffic", "the same by group kind and kind of connection"},
                      {"queue", "largest backlog and total wait of every output and lane"},
                      {"power", "energy of the switch and of the links it drives"}};
  Describe<SwitchSpec> table;
  PacketSwitchFields<SwitchSpec> common(table);
  common.add_ports();
  table.field("buffer", &SwitchSpec::buffer, "input buffer of one port and lane", Bytes{64}, Bytes{1ll << 31})
      .field("lane-reserve", &SwitchSpec::reserve,
             "of the buffer, what only its lane may use; the lanes of a port share the rest of all of them; "
             "0: nothing is shared",
             Bytes{0}, Bytes{1ll << 31});
  common.add_lanes();
  table.choice("queueing", &SwitchSpec::queueing,
               "in an input buffer: a queue for each output, or one in which the first holds up the others",
               {{"virtual-output", Crossbar::Queueing::virtual_output}, {"fifo", Crossbar::Queueing::fifo}});
  common.add_routing(routings);
  table
      .field("sharp-efficiency", &SwitchSpec::sharp_efficiency,
             "share of the links' rate that reduction in the switch reaches (SHARP); 0: it has none", 0.0,
             1.0)
      .field("sharp-radix", &SwitchSpec::sharp_radix,
             "branches of one tree of sums at the switch at most; 0: as many as it has ports", 0u, 65'535u)
      .field("sharp-buffer", &SwitchSpec::sharp_buffer,
             "of one tree of sums, what the switch holds until all branches have brought it: senders have no "
             "more under way; 0: no limit",
             Bytes{0}, Bytes{1ll << 31});
  common.add_power();
  bind_spec(*kind, table);
  document_routings(routings, *kind);
  kind->make_spec = [table, routings](const Element& element,
                                      ErrorList& errors) -> std::shared_ptr<const Spec> {
    auto spec = std::make_shared<SwitchSpec>();
    table.parse(element, *spec, errors);
    read_routing_and_lanes(element, routings, *spec, errors);
    check_reserve(element, spec->buffer, spec->reserve, errors);
    check_sums(element, *spec, errors);
    return spec;
  };
  accept_sources(*kind);
  kind->make = [](const BuildContext& build) { return std::make_unique<Switch>(build); };
  return kind;
}

}  // namespace lightrail
