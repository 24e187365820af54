#include "components/message-fabric/message_fabric.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.hpp"
#include "network/port/reports.hpp"
#include "network/wire/message_kind.hpp"
#include "workloads/collective/group_plan.hpp"

namespace lightrail {
namespace {

const AddressBook* book_of(const Model& model, NicRole role) {
  const auto* book = model.resource<AddressBook>();
  return book ? &book->of(role) : nullptr;
}

}  // namespace

MessageFabric::MessageFabric(const BuildContext& build)
    : model_(build.model),
      spec_(static_cast<const MessageFabricSpec&>(build.spec)),
      book_(book_of(build.model, spec_.role)),
      egress_(build),
      reductions_(build.record.port_count) {
  for (const PortEnd& end : port_ends(build)) in_lines_.emplace_back(end.in_rate);
}

void MessageFabric::fail(const Context& context, const std::string& what) const {
  throw SimulationError(context.now(), model_.component_name(context.self()), what);
}

const MessageFabricSpec::Target& MessageFabric::target(const Context& context, EndpointId to) const {
  if (!book_ || to.value >= book_->endpoints.size())
    fail(context, fmt::format("destination endpoint {} does not exist", to.value));
  const Lid lid = (*book_)[to].lid;
  if (!lid.is_valid() || lid.value >= spec_.of_lid.size() || spec_.of_lid[lid.value].port == self_port)
    fail(context, fmt::format("no route to endpoint {} ({})", to.value, endpoint_name(model_, to)));
  return spec_.of_lid[lid.value];
}

SimTime MessageFabric::path_latency(PortIndex in, const MessageFabricSpec::Target& to, Lid lid) {
  const std::uint32_t first = spec_.switch_of_port[in];
  const auto [place, is_new] = latencies_.try_emplace(std::uint64_t{first} << 32 | to.last_switch);
  if (is_new) place->second = spec_.paths->path(first, lid)->latency;
  return place->second;
}

void MessageFabric::handle(const Event& event, PortIndex port, Context& context) {
  const MessageKind kind = kind_of(event.payload);
  if (kind == MessageKind::flow_control || kind == MessageKind::link_change)
    fail(context, fmt::format("{} on port {}; a fabric by messages has neither buffers nor faults",
                              unexpected(event.payload), port));
  const auto frame = as<Frame>(event.payload);
  if (port == self_port)
    egress_.offer(context, target(context, frame.address.to()).port, frame, context.now());
  else if (kind == MessageKind::reduce)
    reduce(context, as<Train>(event.payload), port);
  else
    carry(context, frame, port);
}

/// No tail leaves before it has come in.
void MessageFabric::carry(Context& context, const Frame& frame, PortIndex in) {
  const EndpointId to = frame.address.to();
  const MessageFabricSpec::Target& out = target(context, to);
  const SimTime slower =
      std::max(in_lines_[in].of(frame.bytes) - egress_.line_time(out.port, frame.bytes), SimTime{0});
  context.wake(context.now() + path_latency(in, out, (*book_)[to].lid) + slower, to_payload(frame));
}

void MessageFabric::reduce(Context& context, const Train& train, PortIndex in) {
  const auto* plans = model_.resource<GroupPlans>();
  const EndpointId from = train.address.from();
  const Connection connection = train.address.connection();
  if (!plans) fail(context, "a train to be reduced came in, and there is no job");
  const GroupPlan& plan = plans->of(GroupKindId{connection.group_kind()}, from);
  const std::vector<EndpointId> heads = plan.rail_of(plan.index_of(from));
  std::vector<PortIndex> ports;
  for (const EndpointId head : heads) ports.push_back(target(context, head).port);
  const std::uint32_t complete = reductions_.add(flow_of(heads.front(), connection), in, train.bytes, ports);
  if (complete == 0) return;
  for (const EndpointId head : heads) {
    Train sum = train;
    sum.kind = MessageKind::train, sum.bytes = complete;
    sum.address = Address(head, head, connection);
    carry(context, frame_of(sum), in);
  }
}

std::vector<std::string> MessageFabric::waits_for() const {
  if (const std::int64_t bytes = reductions_.waiting_bytes(); bytes > 0)
    return {fmt::format("{} B wait to be added to what other servers have not sent", bytes)};
  return {};
}

void MessageFabric::save(StateWriter& out) const {
  egress_.save(out);
  reductions_.save(out);
}

void MessageFabric::load(StateReader& in) {
  egress_.load(in);
  reductions_.load(in);
}

std::shared_ptr<const ComponentKind> message_fabric_kind(std::uint32_t nics) {
  // Of a step of Mixtral 8x22B on 10,240 GPUs it had 15 % of all events.
  constexpr std::uint32_t weight_of_nic = 4;
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "message-fabric";
  kind->doc = R"(A fabric without its switches (<run detail="messages">, <fabric detail="messages">).)";
  kind->weight = weight_of_nic * nics;
  kind->ports = {{"i", "NICs", "NIC"}};
  kind->statistics = {{"link_use", "payload and busy time of every line to a NIC by interval"},
                      {"link_traffic", "the same by group kind and kind of connection"}};
  bind_spec(*kind, Describe<MessageFabricSpec>());
  kind->make = [](const BuildContext& build) { return std::make_unique<MessageFabric>(build); };
  return kind;
}

}  // namespace lightrail
