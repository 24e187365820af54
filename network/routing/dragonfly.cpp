#include "network/routing/dragonfly.hpp"

#include <cstdint>
#include <vector>

#include "network/routing/group_route.hpp"
#include "network/routing/port_choice.hpp"

namespace lightrail {

namespace {

/// The ways; which of them a train takes is for the leaves of this class to say.
class GroupRouting : public Routing {
 public:
  explicit GroupRouting(const RoutingSetup& setup)
      : route_(setup.route),
        groups_(*setup.route.groups),
        egress_(setup.egress),
        salt_(setup.salt),
        per_class_(setup.lanes / 2) {}

  RouteChoice choose(Lid lid, const Frame& train, PortIndex in, const Context& context) final {
    const std::uint32_t target = groups_.group_of(lid);
    if (target == groups_.own || target >= groups_.to_group.size()) return within(lid, train, context);
    const bool is_first = train.lane < per_class_;
    const auto second = static_cast<std::uint8_t>(is_first ? train.lane + per_class_ : train.lane);
    const bool comes_from_below = in < groups_.down_count;
    if (comes_from_below && is_first) return leave(target, train, context);
    const SwitchRoute::Candidates shortest = ports(groups_.to_group[target]);
    if (comes_from_below || !groups_.is_spine)
      return {nearest(shortest, train, second, context).port, second};
    return go_on(shortest, train, second, context);
  }

 protected:
  /// In the source group: a shortest way or one around. The lane stays.
  [[nodiscard]] virtual RouteChoice leave(std::uint32_t target, const Frame& train,
                                          const Context& context) = 0;
  /// At a spine of the third group, on the first class: over a global link that is on a shortest way, on lane
  /// `second`, or down on the lane it has.
  [[nodiscard]] virtual RouteChoice go_on(const SwitchRoute::Candidates& shortest, const Frame& train,
                                          std::uint8_t second, const Context& context) = 0;

  static SwitchRoute::Candidates ports(const std::vector<PortIndex>& list) {
    return {0, static_cast<std::uint16_t>(list.size()), list.data()};
  }
  [[nodiscard]] LoadedPort nearest(const SwitchRoute::Candidates& some, const Frame& train, std::uint8_t lane,
                                   const Context& context) const {
    return some.count == 0 ? LoadedPort{}
                           : least_loaded(some, flow_hash(salt_, train), train, lane, egress_, context);
  }
  /// True when `other` is worth a way of about twice the length.
  [[nodiscard]] bool is_better(const LoadedPort& other, const LoadedPort& shortest,
                               const Frame& train) const {
    if (other.port == unroutable || shortest.port == unroutable) return shortest.port == unroutable;
    if (shortest.load.must_wait() != other.load.must_wait()) return shortest.load.must_wait();
    return shortest.load.line() > 2 * other.load.line() + egress_.line_time(shortest.port, train.bytes);
  }

  [[nodiscard]] const GroupRoute& groups() const { return groups_; }
  [[nodiscard]] const EgressBank& egress() const { return egress_; }
  [[nodiscard]] std::uint64_t salt() const { return salt_; }

 private:
  /// In the group of the destination, or inside the source group: down, or up where it is not below.
  [[nodiscard]] RouteChoice within(Lid lid, const Frame& train, const Context& context) const {
    const SwitchRoute::Candidates some = route_.candidates(lid);
    const bool leads_to_nic = !groups_.is_spine && some.count > 0 && some[0] < groups_.down_count;
    const auto lane = leads_to_nic ? static_cast<std::uint8_t>(train.lane % per_class_) : train.lane;
    return {nearest(some, train, lane, context).port, lane};
  }

  const SwitchRoute& route_;
  const GroupRoute& groups_;
  const EgressBank& egress_;
  std::uint64_t salt_;
  std::uint32_t per_class_;  ///< lanes of a class
};

class Valiant final : public GroupRouting {
 public:
  using GroupRouting::GroupRouting;
  void save(StateWriter& out) const override { out.put(drawn_); }
  void load(StateReader& in) override { in.get(drawn_); }

 protected:
  RouteChoice leave(std::uint32_t target, const Frame& train, const Context& context) override {
    // A leaf's way is open still: any spine will do.
    const auto& list = !groups().is_spine                      ? groups().to_group[groups().own]
                       : groups().around_group[target].empty() ? groups().to_group[target]
                                                               : groups().around_group[target];
    return {drawn(ports(list), context.now()), train.lane};
  }
  RouteChoice go_on(const SwitchRoute::Candidates& shortest, const Frame& train, std::uint8_t second,
                    const Context& context) override {
    if (const LoadedPort port = nearest(shortest, train, second, context); port.port != unroutable)
      return {port.port, second};
    return {drawn(ports(groups().down), context.now()), train.lane};
  }

 private:
  /// A usable one of `some`, each as likely as the others.
  PortIndex drawn(const SwitchRoute::Candidates& some, SimTime now) {
    if (some.count == 0) return unroutable;
    return first_usable(some, spread(hash_combine(salt(), ++drawn_), some.count), egress(), now);
  }
  std::uint64_t drawn_ = 0;  ///< so far
};

class ProgressiveAdaptive final : public GroupRouting {
 public:
  using GroupRouting::GroupRouting;

 protected:
  RouteChoice leave(std::uint32_t target, const Frame& train, const Context& context) override {
    const LoadedPort shortest = nearest(ports(groups().to_group[target]), train, train.lane, context);
    const LoadedPort around = nearest(ports(groups().around_group[target]), train, train.lane, context);
    return {is_better(around, shortest, train) ? around.port : shortest.port, train.lane};
  }
  RouteChoice go_on(const SwitchRoute::Candidates& direct, const Frame& train, std::uint8_t second,
                    const Context& context) override {
    const LoadedPort shortest = nearest(direct, train, second, context);
    const LoadedPort down = nearest(ports(groups().down), train, train.lane, context);
    if (is_better(down, shortest, train)) return {down.port, train.lane};
    return {shortest.port, second};
  }
};

}  // namespace

std::shared_ptr<const RoutingKind> dragonfly_valiant_routing() {
  const auto kind = routing_kind<Valiant>("dragonfly-valiant",
                                          "each train by a third group that is drawn (dragonfly-plus)");
  kind->lane_classes = 2;
  kind->needs_groups = true;
  return kind;
}

std::shared_ptr<const RoutingKind> dragonfly_adaptive_routing() {
  const auto kind = routing_kind<ProgressiveAdaptive>(
      "dragonfly-adaptive", "each train the shortest way or by a third group, by backlog (dragonfly-plus)");
  kind->lane_classes = 2;
  kind->needs_groups = true;
  return kind;
}

}  // namespace lightrail
