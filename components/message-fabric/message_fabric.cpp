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
      book_(book_of(build.model, spec_.whole->role)),
      egress_(build),
      reductions_(spec_.nics()),
      part_reductions_(spec_.whole->parts) {
  for (const PortEnd& end : port_ends(build)) in_lines_.emplace_back(end.in_rate);
}

void MessageFabric::fail(const Context& context, const std::string& what) const {
  throw SimulationError(context.now(), model_.component_name(context.self()), what);
}

const MessageFabricSpec::Target& MessageFabric::target(const Context& context, EndpointId to) const {
  if (!book_ || to.value >= book_->endpoints.size())
    fail(context, fmt::format("destination endpoint {} does not exist", to.value));
  const Lid lid = (*book_)[to].lid;
  const std::vector<MessageFabricSpec::Target>& of_lid = spec_.whole->of_lid;
  if (!lid.is_valid() || lid.value >= of_lid.size() || of_lid[lid.value].port == self_port)
    fail(context, fmt::format("no route to endpoint {} ({})", to.value, endpoint_name(model_, to)));
  return of_lid[lid.value];
}

SimTime MessageFabric::path_latency(std::uint32_t first_switch, const MessageFabricSpec::Target& to,
                                    Lid lid) {
  const auto [place, is_new] = latencies_.try_emplace(std::uint64_t{first_switch} << 32 | to.last_switch);
  if (is_new) place->second = spec_.whole->paths->path(first_switch, lid)->latency;
  return place->second;
}

void MessageFabric::handle(const Event& event, PortIndex port, Context& context) {
  const MessageKind kind = kind_of(event.payload);
  if (kind == MessageKind::flow_control || kind == MessageKind::link_change)
    fail(context, fmt::format("{} on port {}; a fabric by messages has neither buffers nor faults",
                              unexpected(event.payload), port));
  const auto frame = as<Frame>(event.payload);
  const bool is_from_nic = port < spec_.nics();
  if (kind == MessageKind::reduce && is_from_nic)
    reduce(context, as<Train>(event.payload), port);
  else if (kind == MessageKind::reduce)
    reduce_parts(context, as<Train>(event.payload), rail(context, as<Train>(event.payload)),
                 spec_.part_at(port), context.link(port).latency);
  else if (is_from_nic)
    carry(context, frame, {spec_.switch_of_port[port], in_lines_[port]});
  else  // it has had its path
    egress_.offer(context, target(context, frame.address.to()).port, frame, context.now());
}

/// No tail leaves before it has come in.
void MessageFabric::carry(Context& context, const Frame& frame, const Source& source) {
  const EndpointId to = frame.address.to();
  const MessageFabricSpec::Target& out = target(context, to);
  const SimTime slower = std::max(source.line.of(frame.bytes) - out.line.of(frame.bytes), SimTime{0});
  const SimTime at =
      context.now() - source.spent + path_latency(source.first_switch, out, (*book_)[to].lid) + slower;
  if (out.part == spec_.part) return context.wake(at, to_payload(frame));
  const PortIndex port = spec_.port_to(out.part);
  context.send(port, at - context.link(port).latency, to_payload(frame));
}

/// Those who add receive the sum: of every server the member that has the same place.
MessageFabric::Rail MessageFabric::rail(const Context& context, const Train& train) const {
  const auto* plans = model_.resource<GroupPlans>();
  if (!plans) fail(context, "a train to be reduced came in, and there is no job");
  const EndpointId from = train.address.from();
  const Connection connection = train.address.connection();
  const GroupPlan& plan = plans->of(GroupKindId{connection.group_kind()}, from);
  Rail rail;
  for (const EndpointId member : plan.rail_of(plan.index_of(from))) {
    const MessageFabricSpec::Target& to = target(context, member);
    if (rail.parts.empty()) rail.flow = flow_of(member, connection);
    rail.parts.push_back(to.part);
    if (to.part != spec_.part) continue;
    rail.here.push_back(member);
    rail.ports.push_back(to.port);
  }
  std::sort(rail.parts.begin(), rail.parts.end());
  rail.parts.erase(std::unique(rail.parts.begin(), rail.parts.end()), rail.parts.end());
  return rail;
}

void MessageFabric::reduce(Context& context, const Train& train, PortIndex in) {
  const Rail all = rail(context, train);
  Train sum = train;
  sum.bytes = reductions_.add(all.flow, in, train.bytes, all.ports);
  if (sum.bytes == 0) return;
  for (const std::uint16_t part : all.parts)
    if (part != spec_.part) context.send(spec_.port_to(part), context.now(), to_payload(sum));
  reduce_parts(context, sum, all, spec_.part, SimTime{0});
}

void MessageFabric::reduce_parts(Context& context, const Train& sum, const Rail& all, std::uint16_t part,
                                 SimTime spent) {
  Train train = sum;
  train.kind = MessageKind::train;
  train.bytes = part_reductions_.add(all.flow, part, sum.bytes, all.parts);
  if (train.bytes == 0) return;
  const MessageFabricSpec::Target& last = target(context, sum.address.from());
  for (const EndpointId member : all.here) {
    train.address = Address(member, member, sum.address.connection());
    carry(context, frame_of(train), {last.last_switch, last.line, spent});
  }
}

std::vector<std::string> MessageFabric::waits_for() const {
  const std::int64_t bytes = reductions_.waiting_bytes() + part_reductions_.waiting_bytes();
  if (bytes > 0) return {fmt::format("{} B wait to be added to what other servers have not sent", bytes)};
  return {};
}

void MessageFabric::save(StateWriter& out) const {
  egress_.save(out);
  reductions_.save(out);
  part_reductions_.save(out);
}

void MessageFabric::load(StateReader& in) {
  egress_.load(in);
  reductions_.load(in);
  part_reductions_.load(in);
}

std::shared_ptr<const ComponentKind> message_fabric_kind(std::uint32_t nics) {
  // Of a step of Mixtral 8x22B on 10,240 GPUs it had 15 % of all events.
  constexpr std::uint32_t weight_of_nic = 4;
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "message-fabric";
  kind->doc = R"(A fabric without its switches (<run detail="messages">, <fabric detail="messages">).)";
  kind->weight = weight_of_nic * nics;
  kind->ports = {{"i", "NICs", "NIC"}, {"NICs + p", "other parts", "another part of the fabric"}};
  kind->statistics = {{"link_use", "payload and busy time of every line to a NIC by interval"},
                      {"link_traffic", "the same by group kind and kind of connection"}};
  bind_spec(*kind, Describe<MessageFabricSpec>());
  kind->make = [](const BuildContext& build) { return std::make_unique<MessageFabric>(build); };
  return kind;
}

}  // namespace lightrail
