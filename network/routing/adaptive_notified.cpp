#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "network/routing/adaptive.hpp"
#include "network/routing/up_down_routings.hpp"

namespace lightrail {

namespace {

/// Adaptive routing that hears from the next switch. Where one port leads down, or parallel ones do, nobody
/// there can choose another way, and credits tell the switch before of a full buffer, but not whose trains
/// fill it. So once more than the threshold lies before the best of these ports, the switch tells where the
/// train came from, which gives trains to the lids behind them to other ports meanwhile: for as long as the
/// line takes to send what is beyond the threshold, so that it does not run dry before the next ones come. A
/// switch that has been told of all its ways to a lid tells the one before in its turn, until the first of
/// them is good again.
///
/// NVIDIA's switches send such notifications (ARN); when, and how long they hold, is not published. Leaves
/// out a way up whose own line is full, beside which there are others, and routes that are lists.
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
    if (last_until_ > now)
      if (const std::vector<Row>& rows = rows_with(lid); told_until(rows, way.port) > now)  // no better one
        return notice(in, rows.front().lids, first_end(rows, ways(lid, now), now), now);
    const auto children = std::find_if(route_.down.begin(), route_.down.end(),
                                       [&](const SwitchRoute::Children& each) { return each.have(lid); });
    if (children == route_.down.end() || is_up(way.port)) return std::nullopt;
    ByteTime byte;
    const SimTime beyond = egress().backlog(way.port, way.lane, train.bytes, context, byte).line() -
                           egress().line_time(way.port, threshold_bytes_);
    if (beyond <= SimTime{0}) return std::nullopt;
    return notice(in, of_child(*children, lid), now + beyond, now);
  }

  void on_notice(const RouteNotice& notice, PortIndex port, SimTime now) override {
    const SimTime until = now + SimTime{std::int64_t{notice.hold_ns} * 1000};
    SimTime& known = at(heard_[notice.lids][notice.first_lid], port);
    known = std::max(known, until);
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
  struct Lids {
    std::uint32_t first = 0, count = 0;
  };
  /// By how many lids, and by the first of them: until when, by port. Rows of one length do not overlap,
  /// those of a pod and of its leaves do.
  using Times = std::map<std::uint32_t, std::map<std::uint32_t, std::vector<SimTime>>>;

  /// A leaf that has lost a NIC gets to it so, by its twin (dual ToR).
  [[nodiscard]] bool is_up(PortIndex port) const {
    return port >= route_.first_up && port < route_.first_up + route_.up_count;
  }
  static SimTime& at(std::vector<SimTime>& by_port, PortIndex port) {
    if (by_port.size() <= port) by_port.resize(port + 1u);
    return by_port[port];
  }
  static Lids of_child(const SwitchRoute::Children& children, Lid lid) {
    const std::uint32_t per_child = children.lids_per_child;
    const std::uint32_t first = lid.value - (lid.value - children.lid_low) % per_child;
    return {first, std::min(per_child, children.lid_high - first)};  // the last may be smaller
  }
  struct Row {
    Lids lids;
    const std::vector<SimTime>* until = nullptr;  ///< by port
  };
  /// Rows that were heard of and have `lid`, the smallest first. Valid until the next call.
  const std::vector<Row>& rows_with(Lid lid) {
    rows_.clear();
    for (const auto& [count, rows] : heard_) {
      const auto next = rows.upper_bound(lid.value);
      if (next == rows.begin()) continue;
      const auto& [first, until] = *std::prev(next);
      if (lid.value - first < count) rows_.push_back({{first, count}, &until});
    }
    return rows_;
  }
  /// Until when the way by `port` is no good, by what was heard of `rows`; 0 or past: it may be.
  static SimTime told_until(const std::vector<Row>& rows, PortIndex port) {
    SimTime latest{};
    for (const Row& row : rows)
      if (port < row.until->size()) latest = std::max(latest, (*row.until)[port]);
    return latest;
  }
  /// When the first of the ways to a lid is good again, all of which were told of.
  static SimTime first_end(const std::vector<Row>& rows, const SwitchRoute::Candidates& ports, SimTime now) {
    SimTime first = time_never;
    for (std::uint32_t i = 0; i < ports.count; ++i)
      if (const SimTime end = told_until(rows, ports[i]); end > now) first = std::min(first, end);
    return first;
  }
  /// Of `ports` those that are clear and behind which nobody has told of `lid`; all of them where there is
  /// none.
  SwitchRoute::Candidates good_ones(const SwitchRoute::Candidates& ports, Lid lid, SimTime now) {
    if (ports.count < 2 || last_until_ <= now) return ports;
    const std::vector<Row>& rows = rows_with(lid);
    good_.clear();
    for (std::uint32_t i = 0; i < ports.count; ++i)
      if (egress().is_clear(ports[i], now) && told_until(rows, ports[i]) <= now) good_.push_back(ports[i]);
    if (good_.empty()) return ports;
    return {0, static_cast<std::uint16_t>(good_.size()), good_.data()};
  }
  /// To `in`, unless it has been told and need not do otherwise yet.
  std::optional<RouteNotice> notice(PortIndex in, Lids lids, SimTime until, SimTime now) {
    SimTime& told = at(told_[lids.count][lids.first], in);
    if (now < told) return std::nullopt;
    constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
    const std::int64_t hold_ns = std::min(((until - now).count() + 999) / 1000, most);
    told = now + SimTime{hold_ns * 1000};
    return RouteNotice{
        .first_lid = lids.first, .lids = lids.count, .hold_ns = static_cast<std::uint32_t>(hold_ns)};
  }

  const SwitchRoute& route_;
  std::uint32_t threshold_bytes_;
  Times told_;                   ///< until when there is nothing new to say, by the port told
  Times heard_;                  ///< until when a way is no good, by the port that it leads by
  SimTime last_until_{};         ///< of all that was heard
  std::vector<Row> rows_;        ///< of the lid at hand
  std::vector<PortIndex> good_;  ///< of the choice at hand
};

}  // namespace

std::shared_ptr<const RoutingKind> adaptive_notified_routing() {
  auto kind = routing_kind<AdaptiveNotified>(
      "adaptive-notified",
      "as adaptive, and switches whose way down is full tell the one before (InfiniBand's ARN)");
  kind->tells = kind->remembers = true;
  return kind;
}

}  // namespace lightrail
