#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"
#include "network/port/egress_bank.hpp"
#include "network/routing/detours.hpp"
#include "network/routing/routing.hpp"
#include "network/wire/frame.hpp"
#include "network/wire/route_notice.hpp"

namespace lightrail {

struct QueuePairs;

/// Where a train leaves a switch.
struct RouteChoice {
  PortIndex port = 0;
  std::uint8_t lane = 0;  ///< virtual lane that it takes from here on
};

/// What a switch gives its routing when it is built; all outlive the routing.
struct RoutingSetup {
  const SwitchRoute& route;
  const EgressBank& egress;
  std::uint64_t salt = 0;                   ///< of the switch's own hashes
  std::uint32_t lanes = 1;                  ///< of its ports
  std::uint32_t flow_entries = 0;           ///< flows that it may remember
  SimTime flowlet_gap{};                    ///< pause after which a flow may move
  std::uint32_t entropy_values = 1;         ///< of a flow, of which frames say theirs
  const QueuePairs* queue_pairs = nullptr;  ///< null: connections have one each
  std::uint32_t mtu_bytes = 0;              ///< packets of its ports [B]
  std::uint32_t notice_threshold = 0;       ///< before a way is full [B]
  Detours* detours = nullptr;               ///< null: no link ever fails, or routes are lists
};

/// How one switch chooses among the ports that lead to a lid. It must be a function of the arguments, of what
/// it was built from and of what it saves: no clock, address or order of a hash map.
class Routing {
 public:
  virtual ~Routing() = default;
  /// The way of `train`, whose head came in on `in` now (of what the switch sends again or by itself: a port
  /// that it has not, 0xffff). `unroutable` when no usable port leads to `lid`.
  [[nodiscard]] virtual RouteChoice choose(Lid lid, const Frame& train, PortIndex in,
                                           const Context& context) = 0;
  /// Which of several `ports`, those that lead to `lid`, a train there may take, so that their memory is
  /// fetched ahead: where no link fails it takes one of them. A guess all the same, by which nothing but
  /// speed goes: where links fail, or in fabrics of groups, it may take another one. Must not read ports.
  [[nodiscard]] virtual SwitchRoute::Candidates likely(Lid /*lid*/,
                                                       const SwitchRoute::Candidates& ports) const {
    return ports;
  }
  /// What to tell the switch at `in` of the `way` that choose() has just given `train`, which goes to another
  /// switch; nothing: it is good. Asked where RoutingKind::tells.
  [[nodiscard]] virtual std::optional<RouteNotice> due_notice(Lid /*lid*/, const Frame& /*train*/,
                                                              PortIndex /*in*/, const RouteChoice& /*way*/,
                                                              const Context&) {
    return std::nullopt;
  }
  /// The switch at `port` has told.
  virtual void on_notice(const RouteNotice&, PortIndex /*port*/, SimTime /*now*/) {}
  virtual void save(StateWriter&) const {}
  virtual void load(StateReader&) {}
};

/// One way of routing, by the name that `routing=""` of a switch or fabric gives. Registered in an explicit
/// list (network/routing/routing_registry.cpp) or by a plugin.
class RoutingKind {
 public:
  std::string name, doc;
  /// Virtual lanes that a train may pass through one after the other, each higher than the one before: what
  /// keeps ways that are not up/down free of deadlock. A switch has lanes for each.
  std::uint32_t lane_classes = 1;
  bool needs_groups = false;  ///< works on fabrics of groups alone (SwitchRoute::groups)
  bool narrows = true;        ///< its Routing has likely(); else that is not asked
  bool tells = false;         ///< its Routing has due_notice() and on_notice()
  bool remembers = false;     ///< its Routing reads flow_entries; else a switch that gives them is refused
  bool sees_pauses = false;   ///< the same of flowlet_gap
  /// A flow's way is a function of its addresses alone: flows meet on a port while others are idle.
  bool fixes_ways = false;
  /// Where no link fails the port is NearRoute::by_digit() and the lane stays: the Routing is not asked.
  bool goes_by_digit = false;
  std::function<std::unique_ptr<Routing>(const RoutingSetup&)> make;
};

/// What keeps switches with `lanes` virtual lanes from routing so, in a fabric of groups or another one; "":
/// nothing.
[[nodiscard]] std::string problem_of(const RoutingKind& kind, std::uint32_t lanes, bool has_groups);

/// A RoutingKind whose make() builds an XRouting from a RoutingSetup.
template <class XRouting>
[[nodiscard]] std::shared_ptr<RoutingKind> routing_kind(std::string name, std::string doc) {
  auto kind = std::make_shared<RoutingKind>();
  kind->name = std::move(name);
  kind->doc = std::move(doc);
  kind->narrows = !std::is_same_v<decltype(&XRouting::likely), decltype(&Routing::likely)>;
  kind->make = [](const RoutingSetup& setup) { return std::make_unique<XRouting>(setup); };
  return kind;
}

}  // namespace lightrail
