#include "components/gateway/gateway.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "network/port/build_checks.hpp"
#include "network/port/port_end.hpp"
#include "network/port/reports.hpp"
#include "network/transport/tables.hpp"
#include "network/wire/phase.hpp"
#include "network/wire/train.hpp"
#include "network/wire/work_request.hpp"

namespace lightrail {

using namespace serving_control;

namespace {

constexpr Connection connection = Connection::make(0, 0, static_cast<std::uint32_t>(Phase::users));

const ServingPlan& plan_of(const BuildContext& build) {
  const auto* plan = build.model.resource<ServingPlan>();
  if (!plan)
    throw InputErrors(InputError{
        "", 0, build.model.component_name(build.id) + ": <users> belong to a <workload kind=\"inference\">"});
  return *plan;
}

}  // namespace

Gateway::Gateway(const BuildContext& build)
    : model_(build.model),
      spec_(static_cast<const GatewaySpec&>(build.spec)),
      plan_(plan_of(build)),
      self_{build.record.number},
      scheduler_(static_cast<PortIndex>(build.record.port_count - 1)) {
  const auto* output = build.model.resource<OutputSelection>();
  records_matrix_ = output && output->is_recorded(tables::traffic_matrix, self_);
  for (std::uint32_t i = 0; i < scheduler_; ++i)
    in_lines_.emplace_back(port_end(build, static_cast<PortIndex>(i)).in_rate);
}

void Gateway::fail(const Context& context, const std::string& what) const {
  throw SimulationError(context.now(), model_.component_name(context.self()), what);
}

void Gateway::handle(const Event& event, PortIndex port, Context& context) {
  const Payload& p = event.payload;
  if (port == scheduler_) return on_scheduler(p, context);
  if (port != self_port) return take(p, port, context);
  const auto timer = as<Timer>(p);
  switch (timer.kind) {
    case Wake::prompt:
      return send_prompt(EndpointId{timer.gpu}, timer.what, context);
    case Wake::tokens: {
      Incoming& incoming = incoming_[timer.gpu];
      incoming.came += timer.what;
      return settle(incoming, context);
    }
  }
}

void Gateway::on_scheduler(const Payload& p, Context& context) {
  if (kind_of(p) == MessageKind::prompt_send) {
    const auto move = as<PromptMove>(p);
    return context.wake(context.now() + spec_.delay,
                        to_payload(Timer{.kind = Wake::prompt, .gpu = move.endpoint, .what = move.request}));
  }
  if (kind_of(p) != MessageKind::tokens_receive)
    fail(context, unexpected(p) + " from the scheduler; a gateway takes no such message");
  const auto move = as<TokensMove>(p);
  Incoming& incoming = incoming_[move.endpoint];
  incoming.awaited.push_back({move.number, move.tokens * plan_.users.token_bytes});
  settle(incoming, context);
}

/// A train counts when its tail is here, with the users when they have it.
void Gateway::take(const Payload& p, PortIndex port, Context& context) {
  const MessageKind kind = kind_of(p);
  if (kind == MessageKind::sent || kind == MessageKind::placed_train) return;
  if (kind != MessageKind::train)
    fail(context, fmt::format("{} on port {}; a gateway takes trains", unexpected(p), port));
  const auto train = as<Train>(p);
  if (const EndpointId to = train.address.to(); to != self_)
    fail(context, fmt::format("a train for endpoint {} ({}) came in", to.value, endpoint_name(model_, to)));
  context.wake(
      context.now() + in_lines_[port].of(train.bytes) + spec_.delay,
      to_payload(Timer{.kind = Wake::tokens, .gpu = train.address.from().value, .what = train.bytes}));
}

void Gateway::settle(Incoming& incoming, Context& context) {
  while (!incoming.awaited.empty() && incoming.awaited.front().bytes <= incoming.came) {
    const Awaited whole = incoming.awaited.front();
    incoming.awaited.pop_front();
    incoming.came -= whole.bytes;
    context.send(
        scheduler_, context.now(),
        to_payload(TokensDone{.number = static_cast<std::uint32_t>(whole.number), .at = context.now()}));
  }
}

void Gateway::send_prompt(EndpointId gpu, std::uint32_t request, Context& context) {
  const std::int64_t bytes = plan_.bytes_in(request);
  const auto nic = static_cast<PortIndex>(gpu.value % scheduler_);
  for (std::int64_t left = bytes; left > 0; left -= std::min(left, max_work_bytes))
    context.send(nic, context.now(),
                 to_payload(WorkRequest{.bytes = static_cast<std::uint32_t>(std::min(left, max_work_bytes)),
                                        .address = Address(self_, gpu, connection)}));
  sent_[gpu.value].bytes += bytes;
  ++sent_[gpu.value].messages;
}

void Gateway::finish(Context& context) {
  Counter all;
  for (const auto& [gpu, counter] : sent_) {
    all.bytes += counter.bytes, all.messages += counter.messages;
    if (!records_matrix_) continue;
    const std::array<std::int64_t, 3> row{self_.value, gpu, counter.bytes};
    context.record(tables::traffic_matrix, row);
  }
  if (all.messages == 0) return;
  const std::array<std::int64_t, 4> row{self_.value, plan_.users.dimension, all.bytes, all.messages};
  context.record(tables::traffic, row);
}

std::vector<std::string> Gateway::waits_for() const {
  std::vector<std::string> all;
  for (const auto& [gpu, incoming] : incoming_)
    if (!incoming.awaited.empty())
      all.push_back(fmt::format("tokens of {}: {} messages have not come in whole",
                                endpoint_name(model_, EndpointId{gpu}), incoming.awaited.size()));
  return all;
}

void Gateway::save(StateWriter& out) const {
  out.put(sent_), out.put(incoming_.size());
  for (const auto& [gpu, incoming] : incoming_) {
    out.put(gpu), out.put(incoming.came);
    out.put(std::vector<Awaited>(incoming.awaited.begin(), incoming.awaited.end()));
  }
}

void Gateway::load(StateReader& in) {
  std::size_t count = 0;
  in.get(sent_), in.get(count);
  incoming_.clear();
  for (; count > 0; --count) {
    std::uint32_t gpu = 0;
    std::vector<Awaited> awaited;
    in.get(gpu);
    Incoming& incoming = incoming_[gpu];
    in.get(incoming.came), in.get(awaited);
    incoming.awaited.assign(awaited.begin(), awaited.end());
  }
}

std::shared_ptr<const ComponentKind> gateway_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "gateway";
  kind->doc =
      "Machine on the front end by which users come in, in <users>: sends prompts to the GPUs that serve "
      "them and receives tokens. Leaves out the users' own way to it, its CPUs and connections.";
  kind->weight = 2;
  kind->ports = {{"j", "NICs", "PCIe to NIC j"}, {"NICs", "1", "control link to the scheduler"}};
  kind->statistics = {{"traffic", "payload of prompts that was sent, by dimension"},
                      {"traffic_matrix", "the same by receiving GPU"}};
  bind_spec(*kind, Describe<GatewaySpec>().field("delay", &GatewaySpec::delay,
                                                 "of a prompt on its way in, and of tokens on their way out",
                                                 SimTime{0}, milliseconds(100'000)));
  accept_sources(*kind);
  kind->make = [](const BuildContext& build) { return std::make_unique<Gateway>(build); };
  return kind;
}

}  // namespace lightrail
