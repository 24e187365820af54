#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/base/time.hpp"
#include "engine/model/kind.hpp"
#include "network/health/health_table.hpp"
#include "network/routing/routing.hpp"

namespace lightrail {

/// What the routing tables of one switch say of links that fail elsewhere: of the ports that lead to a lid,
/// those behind which switches still have a way to it. As InfiniBand's subnet manager and BGP do it, the
/// whole fabric knows of a change after the reconvergence time; what a routing does about the switch's own
/// ports before that is its own affair.
///
/// For fabrics of tiers. Leaves out explicit graphs and fabrics of groups, whose routes are lists and stay as
/// they are; behind an optical switch there is always a way. No state: all follows from the time.
class Detours {
 public:
  /// Of `build`'s component, whose route is `route`; both outlive this. `health`: with outages.
  Detours(const BuildContext& build, const SwitchRoute& route, const HealthTable& health);

  /// Those of the ports to `lid` that still lead there; all of them where none does: its NIC is down, or cut
  /// off. Valid until the next call. Nothing is kept of lids that a single port leads to, as below a spine.
  [[nodiscard]] SwitchRoute::Candidates candidates(Lid lid, SimTime now) {
    const SwitchRoute::Candidates all = route_.candidates(lid);
    return all.count < 2 && !route_.has_twin ? all : known(lid, now).ports;
  }
  /// Whether candidates() go up from a leaf that has lost its own port to `lid`: to the leaf beside it, which
  /// has the NIC's other port (dual ToR). As up and down as any other way.
  [[nodiscard]] bool goes_by_twin(Lid lid, SimTime now) {
    return route_.has_twin && known(lid, now).is_by_twin;
  }
  /// A port to a neighbouring switch that still has a way to `lid` when no port of candidates() has one;
  /// `port` where they have, or nobody has. What a failed link has left behind here would be sent again by
  /// its source, the other way; instead it turns round here.
  [[nodiscard]] PortIndex or_back(PortIndex port, Lid lid, SimTime now);
  /// Whether the switch itself has failed: none of its links is up.
  [[nodiscard]] bool is_dead(SimTime now) const;
  /// The port to the neighbouring switch that goes on with what a dead one held for `lid`, again in the place
  /// of its source; nothing where no neighbour has a way.
  [[nodiscard]] std::optional<PortIndex> heir(Lid lid, SimTime now) const;

 private:
  struct Known {
    SimTime until{};  ///< the tables' next change
    bool is_cut_off = false, is_by_twin = false;
    std::vector<PortIndex> open;
    SwitchRoute::Candidates ports;
  };
  const Known& known(Lid lid, SimTime now);
  void keep_open(Known& known, const SwitchRoute::Candidates& ports, Lid lid, SimTime now) const;
  /// The link at one of the switch's own ports; not valid: none.
  [[nodiscard]] LinkId link_at(PortIndex port) const {
    return model_.ports[model_.components[id_.value].first_port + port].out;
  }
  /// The first port to a switch that reaches `lid`, over a link that `may_take` accepts.
  template <class MayTake>
  [[nodiscard]] std::optional<PortIndex> neighbour(Lid lid, SimTime now, MayTake&& may_take) const;
  /// Whether the link at that port is there and up, and behind it somebody reaches `lid`.
  [[nodiscard]] bool leads_to(ComponentId from, PortIndex port, Lid lid, SimTime now) const;
  [[nodiscard]] bool reaches(ComponentId device, Lid lid, SimTime now) const;

  const Model& model_;
  const RoutingTables& tables_;
  const SwitchRoute& route_;
  const HealthTable& health_;
  ComponentId id_;
  std::unordered_map<std::uint32_t, Known> known_;  ///< by lid
};

/// The ports that lead to `lid`; `detours`: null where no link ever fails.
[[nodiscard]] inline SwitchRoute::Candidates ways_to(Lid lid, const NearRoute& route, Detours* detours,
                                                     SimTime now) {
  return detours ? detours->candidates(lid, now) : route.candidates(lid);
}

}  // namespace lightrail
