#include "components/controller/rail_controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "components/controller/require_resource.hpp"
#include "network/port/build_checks.hpp"
#include "network/wire/rail_control.hpp"
#include "network/wire/region_control.hpp"
#include "network/wire/train.hpp"

namespace lightrail {
namespace {

const Rails& rails_of(const BuildContext& build) {
  return require_resource<Rails>(build, "a rail-controller belongs to a <fabric kind=\"photonic-rails\">",
                                 [](const Rails&) { return true; });
}

}  // namespace

RailController::RailController(const BuildContext& build)
    : model_(build.model),
      spec_(static_cast<const RailControllerSpec&>(build.spec)),
      book_(*build.model.resource<AddressBook>()),
      servers_(rails_of(build).servers),
      to_(servers_),
      from_(servers_),
      is_reclaimed_(servers_) {
  for (std::uint32_t s = 0; s < servers_; ++s) {
    to_[s] = rails_of(build).next(s);
    from_[to_[s]] = s;
  }
}

void RailController::handle(const Event& event, PortIndex port, Context& context) {
  const Payload& p = event.payload;
  if (port == self_port) return command(context);
  if (port == 0) return on_switch(p, context);
  const std::uint32_t server = port - 1u;
  if (kind_of(p) == MessageKind::control) return pass(as<Train>(p), context);
  if (kind_of(p) != MessageKind::circuit_request && kind_of(p) != MessageKind::circuit_released)
    refuse(p, port, context);
  release(server);
  if (kind_of(p) == MessageKind::circuit_request) {
    const std::uint32_t to = as<rail_control::Request>(p).server;
    LIGHTRAIL_EXPECT(to < servers_ && to != server);
    waiting_.push_back({server, to});
  }
  serve(context);
}

void RailController::on_switch(const Payload& payload, Context& context) {
  using region_control::Alarm;
  if (kind_of(payload) == MessageKind::lit) {
    LIGHTRAIL_EXPECT(is_switching_);
    return grant(context);
  }
  if (kind_of(payload) != MessageKind::alarm) refuse(payload, 0, context);
  const std::uint32_t port = as<Alarm>(payload).port;
  throw SimulationError(
      context.now(), model_.component_name(context.self()),
      port == Alarm::all_ports
          ? "the rail's optical switch has failed: no other way joins its GPUs"
          : fmt::format("port {} of the rail's optical switch has failed or sends on a path with "
                        "too little light: no other way joins server {}",
                        port, port));
}

void RailController::refuse(const Payload& payload, PortIndex port, const Context& context) const {
  throw SimulationError(context.now(), model_.component_name(context.self()),
                        fmt::format("{} on port {} from {}; the controller of a rail takes no such message",
                                    unexpected(payload), port, port == 0 ? "its optical switch" : "a GPU"));
}

void RailController::release(std::uint32_t server) {
  if (to_[server] != none) from_[to_[server]] = none;
  to_[server] = none;
  is_reclaimed_[server] = 0;
}

/// Takes what is possible, asks back what others wait for. Whoever has just got a circuit keeps it until it
/// is lit.
void RailController::serve(Context& context) {
  std::vector<Request> rest;
  for (const Request& r : waiting_) {
    if (is_switching_ || from_[r.to] != none) {
      rest.push_back(r);
      continue;
    }
    to_[r.from] = r.to;
    from_[r.to] = r.from;
    next_.push_back(r);
  }
  waiting_ = std::move(rest);
  for (const Request& r : waiting_) {
    const std::uint32_t holder = from_[r.to];
    const bool is_new =
        std::any_of(next_.begin(), next_.end(), [&](const Request& n) { return n.from == holder; });
    if (holder == none || is_new || is_reclaimed_[holder]) continue;
    is_reclaimed_[holder] = 1;
    tell(context, holder, to_payload(rail_control::Reclaim{}));
  }
  if (is_switching_ || next_.empty()) return;
  is_switching_ = true;
  commanded_ = to_;  // what is released from now on has no guard: it stays lit
  context.wake(context.now() + spec_.decision + spec_.guard, to_payload(Timer{}));
}

void RailController::command(Context& context) {
  for (std::uint32_t s = 0; s < servers_; ++s)
    if (commanded_[s] != none)
      context.send(0, context.now(), to_payload(region_control::Connect{.in = s, .out = commanded_[s]}));
  context.send(0, context.now(), to_payload(region_control::Apply{}));
}

void RailController::grant(Context& context) {
  is_switching_ = false;
  for (const Request& r : next_) tell(context, r.from, to_payload(rail_control::Granted{.server = r.to}));
  next_.clear();
  serve(context);
}

void RailController::pass(const Train& control, Context& context) {
  tell(context, book_[control.address.to()].server, to_payload(control));
}

void RailController::finish(Context&) {}

std::vector<std::string> RailController::waits_for() const {
  std::vector<std::string> all;
  for (const Request& r : waiting_)
    all.push_back(
        from_[r.to] == none
            ? fmt::format("server {} waits for a circuit to server {}", r.from, r.to)
            : fmt::format("server {} waits for a circuit to server {}, which gets light from server {}",
                          r.from, r.to, from_[r.to]));
  return all;
}

void RailController::save(StateWriter& out) const {
  out.put(to_), out.put(from_), out.put(is_reclaimed_), out.put(waiting_), out.put(next_);
  out.put(is_switching_), out.put(commanded_);
}

void RailController::load(StateReader& in) {
  in.get(to_), in.get(from_), in.get(is_reclaimed_), in.get(waiting_), in.get(next_);
  in.get(is_switching_), in.get(commanded_);
}

std::shared_ptr<const ComponentKind> rail_controller_kind() {
  using S = RailControllerSpec;
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "rail-controller";
  kind->doc =
      "Controller of one photonic rail (Opus): gives GPUs one-way circuits when they ask for them, asks back "
      "those that others wait for. Leaves out its own failure.";
  kind->weight = 4;
  kind->ports = {{"0", "1", "the rail's optical switch"}, {"1 ...", "servers", "the rail's GPUs"}};
  const SimTime hour = milliseconds(3'600'000);
  bind_spec(*kind,
            Describe<S>()
                .field("latency", &S::latency, "of the control network, one way", picoseconds(1), hour)
                .field("decision", &S::decision, "to compute circuits", SimTime{0}, hour)
                .field("guard", &S::guard, "from there to the command that switches them", SimTime{0}, hour));
  accept_sources(*kind);
  kind->make = [](const BuildContext& build) { return std::make_unique<RailController>(build); };
  return kind;
}

}  // namespace lightrail
