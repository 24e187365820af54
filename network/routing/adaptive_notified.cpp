#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "network/routing/adaptive.hpp"
#include "network/routing/up_down_routings.hpp"

namespace lightrail {

namespace {

/// Adaptive routing that hears from the next switch. Where one port leads down, or parallel ones do, nobody
/// there can choose another way, and credits tell the switch before of a full buffer, but not whose trains
/// fill it. So once more than the threshold lies before the best of these ports, the switch tells where the
/// train came from, which gives trains to the lids behind them to other ports meanwhile: for as long as the
/// line takes to what is beyond the threshold, so that it does not run dry before the next ones come. A switch
/// that has been told of all its ways to a lid tells the one before in its turn.
///
/// NVIDIA's switches send such notifications (ARN); when, and how long they hold, is not published. Leaves
/// out a way up whose own line is full, beside which there are others, and routes that are lists or of
/// groups.
class AdaptiveNotified final : public Adaptive {
 public:
  explicit AdaptiveNotified(const RoutingSetup& setup)
      : Adaptive(setup), route_(setup.route), threshold_bytes_(setup.notice_threshold) {}

  RouteChoice choose(Lid lid, const Frame& train, PortIndex, const Context& context) override {
    return choose_among(good_ones(ways(lid, context.now()), lid, context.now()), train, context);
  }

  std::optional<RouteNotice> due_notice(Lid lid, const Frame& train, PortIndex in, const RouteChoice& way,
                                        const Context& context) override {
    const SimTime now = context.now();
    if (const Lids* told = lids_told_of(lid, now); told && is_told(told->second, way.port, now))
      return notice(in, told->first, told->second[way.port], now);  // it had no better one
    const auto children = std::find_if(route_.down.begin(), route_.down.end(),
                                       [&](const SwitchRoute::Children& each) { return each.have(lid); });
    if (children == route_.down.end()) return std::nullopt;
    ByteTime byte;
    const SimTime beyond = egress().backlog(way.port, way.lane, train.bytes, context, byte).line() -
                           egress().line_time(way.port, threshold_bytes_);
    if (beyond <= SimTime{0}) return std::nullopt;
    const std::uint32_t lids = children->lids_per_child;
    return notice(in, pair(lid.value - (lid.value - children->lid_low) % lids, lids), now + beyond, now);
  }

  void on_notice(const RouteNotice& notice, PortIndex port, SimTime now) override {
    const SimTime until = now + SimTime{std::int64_t{notice.hold_ns} * 1000};
    std::vector<SimTime>& of_ports = heard_[pair(notice.first_lid, notice.lids)];
    if (of_ports.size() <= port) of_ports.resize(port + 1u);
    of_ports[port] = std::max(of_ports[port], until);
    last_until_ = std::max(last_until_, until);
  }

  void save(StateWriter& out) const override {
    Adaptive::save(out);
    out.put(told_), out.put(heard_), out.put(last_until_);
  }
  void load(StateReader& in) override {
    Adaptive::load(in);
    in.get(told_), in.get(heard_), in.get(last_until_);
  }

 private:
  /// The first lid and how many, and until when others have told of them, by port.
  using Lids = std::pair<const std::uint64_t, std::vector<SimTime>>;

  /// Two numbers as one, in the order of the first.
  static std::uint64_t pair(std::uint32_t first, std::uint32_t second) {
    return std::uint64_t{first} << 32 | second;
  }
  static bool is_told(const std::vector<SimTime>& until, PortIndex port, SimTime now) {
    return port < until.size() && until[port] > now;
  }
  /// Those that have `lid`, if anybody may have told of them; else null.
  [[nodiscard]] const Lids* lids_told_of(Lid lid, SimTime now) const {
    if (last_until_ <= now) return nullptr;
    auto next = heard_.lower_bound(pair(lid.value + 1, 0));
    if (next == heard_.begin()) return nullptr;
    --next;
    return lid.value - (next->first >> 32) < static_cast<std::uint32_t>(next->first) ? &*next : nullptr;
  }
  /// Of `ports` those behind which nobody has told of `lid`; all of them where somebody has behind each.
  SwitchRoute::Candidates good_ones(const SwitchRoute::Candidates& ports, Lid lid, SimTime now) {
    const Lids* told = ports.count < 2 ? nullptr : lids_told_of(lid, now);
    if (!told) return ports;
    good_.clear();
    for (std::uint32_t i = 0; i < ports.count; ++i)
      if (!is_told(told->second, ports[i], now)) good_.push_back(ports[i]);
    if (good_.empty()) return ports;
    return {0, static_cast<std::uint16_t>(good_.size()), good_.data()};
  }
  /// To `in`, unless it has been told and need not do otherwise yet.
  std::optional<RouteNotice> notice(PortIndex in, std::uint64_t lids, SimTime until, SimTime now) {
    const auto first = static_cast<std::uint32_t>(lids >> 32);
    SimTime& told = told_[pair(in, first)];
    if (now < told) return std::nullopt;
    constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
    const std::int64_t hold_ns = std::min(((until - now).count() + 999) / 1000, most);
    told = now + SimTime{hold_ns * 1000};
    return RouteNotice{.first_lid = first,
                       .lids = static_cast<std::uint32_t>(lids),
                       .hold_ns = static_cast<std::uint32_t>(hold_ns)};
  }

  const SwitchRoute& route_;
  std::uint32_t threshold_bytes_;
  std::map<std::uint64_t, SimTime> told_;  ///< by port and first lid: until when there is nothing new to say
  std::map<std::uint64_t, std::vector<SimTime>> heard_;  ///< by first lid and how many: until when, by port
  SimTime last_until_{};                                 ///< of all that was heard
  std::vector<PortIndex> good_;                          ///< of the choice at hand
};

}  // namespace

std::shared_ptr<const RoutingKind> adaptive_notified_routing() {
  auto kind = routing_kind<AdaptiveNotified>(
      "adaptive-notified",
      "as adaptive, and switches whose way down is full tell the one before (InfiniBand's ARN)");
  kind->tells = true;
  return kind;
}

}  // namespace lightrail
