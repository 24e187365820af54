#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/prefetch.hpp"
#include "network/health/nic_health.hpp"
#include "network/port/crossbar.hpp"
#include "network/routing/packet_switch_spec.hpp"
#include "network/transport/discards.hpp"
#include "network/transport/service_levels.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/link_change.hpp"
#include "network/wire/train.hpp"

namespace lightrail {

/// What every packet switch is made of: the data path (Crossbar), the choice of port and lane (Routing), and
/// what becomes of trains that a link did not take.
///
/// Model: a train goes where its destination's NIC is, or the one that stands in for it; its lane is that of
/// its service level within the class that the routing has chosen. What an optical switch or a failed link
/// lost is sent again from here, when the source's retransmission timer would end; a corrupt train the link
/// replays at once. What was sent as often as it may ends the run, or, where jobs are restarted, is thrown
/// away and its sender told.
class RoutedCrossbar {
 public:
  /// Throws InputErrors where the switch has fewer lanes than its routing needs, more ports than it may have
  /// or a link faster than its ports. `spec`: of `build`'s component; outlives this.
  RoutedCrossbar(const BuildContext& build, const PacketSwitchSpec& spec,
                 Crossbar::Queueing queueing = Crossbar::Queueing::virtual_output);

  /// Where `frame`, which came in on `in`, goes. Throws SimulationError when nothing leads there.
  [[gnu::always_inline]] RouteChoice way_of(const Frame& frame, PortIndex in, Context& context) {
    if (is_direct_) {
      const PortIndex port = direct_port(frame.address.to());
      if (port < context.port_count() && crossbar_.egress().is_connected(port)) [[likely]]
        return {port, frame.lane};
    }
    const Lid lid = lid_of(frame, context);  // first, since it finds that there is no routing
    const RouteChoice way = routing_->choose(lid, frame, in, context);
    // Unroutable is more than any.
    if (way.port >= context.port_count()) fail_without_route(context, frame.address.to());
    if (tells_) [[unlikely]]
      tell_of_full_way(lid, frame, in, way, context);
    return way;
  }
  /// Whether lanes are of service levels.
  [[nodiscard]] bool has_levels() const { return lanes_ != nullptr; }
  /// As it leaves: on the lane of its service level, where there are levels.
  [[nodiscard]] Frame on_own_lane(const Frame& frame) const;
  /// Takes a timer of a port's link, what an optical switch sent back, or what a switch tells of its ways;
  /// false: it is none of these.
  [[nodiscard]] bool take_rare(const Payload& payload, PortIndex port, Context& context);
  /// What a failed link did not take goes another way, or the same when its timer ends. Call after each event
  /// that left something cut off (EgressBank::has_cut_off).
  void on_cut_off(Context& context);
  /// A timer behind which nothing waits.
  [[nodiscard]] bool is_idle_wake(const Event& event) const;

  Crossbar& crossbar() { return crossbar_; }
  [[nodiscard]] const Crossbar& crossbar() const { return crossbar_; }
  [[nodiscard]] const AddressBook* book() const { return book_; }
  void tell_hot(HotLines& lines) const {
    lines.add_all(routing_, lanes_);
    crossbar_.tell_hot(lines);
  }
  /// What `events` will need: of ports and `links` those that they come in and leave on, where the routing
  /// can tell.
  void prefetch(std::span<const Delivery> events, std::span<const OutLink> links) const;
  /// Trains that the event at hand may set free. Reads the port.
  void prefetch_waiting(const Delivery& delivery) const {
    const auto frame = as<Frame>(delivery.event.payload);
    if (frame.kind == MessageKind::flow_control) crossbar_.prefetch_waiting(delivery.port, frame.lane);
  }
  /// As Component's; of jobs that are restarted GPUs alone say what they wait for, since nobody waits for
  /// what broken connections have left behind.
  [[nodiscard]] std::vector<std::string> waits_for() const {
    return restarts_jobs_ ? std::vector<std::string>{} : crossbar_.waits_for();
  }
  [[nodiscard]] bool restarts_jobs() const { return restarts_jobs_; }
  /// Rows of the ports and of the power table.
  void finish(Context& context);
  void save(StateWriter& out) const;
  void load(StateReader& in);
  [[noreturn]] void fail(const Context& context, const std::string& what) const;

 private:
  [[nodiscard, gnu::always_inline]] Lid lid_of(const Frame& frame, const Context& context) const {
    const EndpointId to = frame.address.to();
    if (!book_ || to.value >= book_->endpoints.size()) fail_without_endpoint(context, to);
    const Lid lid = (*book_)[health_ ? health_->stand_in(to, context.now(), Observer::sender) : to].lid;
    if (!routing_ || !lid.is_valid()) fail_without_route(context, to);
    return lid;
  }
  /// Where ways are by digit: the port to an endpoint, `unroutable` where nothing leads there.
  [[nodiscard, gnu::always_inline]] PortIndex direct_port(EndpointId to) const {
    if (to.value >= book_->endpoints.size()) return unroutable;
    const Lid lid = (*book_)[to].lid;
    return lid.is_valid() ? route_.by_digit(lid) : unroutable;
  }
  /// What a port leads to: no switch, a switch, one that hears of full ways.
  enum class Beyond : std::uint8_t { device, packet_switch, listener };
  static std::vector<Beyond> beyond(const BuildContext& build, const PacketSwitchSpec& spec);
  /// Says so to the switch at `in` where the routing finds that `frame` has got no good way.
  void tell_of_full_way(Lid lid, const Frame& frame, PortIndex in, const RouteChoice& way, Context& context);
  /// A guess, by which a frame to `to` leaves; empty: none.
  [[nodiscard]] SwitchRoute::Candidates likely_ports(EndpointId to) const;
  [[nodiscard]] bool is_idle_change(const LinkChange& change) const;
  void send_again(const Train& back, PortIndex port, Context& context);
  /// It was sent as often as it may.
  void give_up(const Frame& train, Context& context);
  /// Whether the switch itself has failed and a neighbour goes on with the train.
  [[nodiscard]] bool has_gone_on(const Frame& train, Context& context);
  [[noreturn]] void fail_without_endpoint(const Context& context, EndpointId to) const;
  [[noreturn]] void fail_without_route(const Context& context, EndpointId to) const;

  // A line of what every train needs, then the ports.
  std::unique_ptr<Routing> routing_;  ///< null: the switch has no routes
  [[no_unique_address]] NearRoute route_;
  const bool narrows_, tells_;  ///< RoutingKind
  const bool is_direct_;        ///< fixed: ways are by digit, and always were
  const AddressBook* book_;     ///< of its fabric
  const NicHealth* health_;     ///< null: no NIC's cable ever fails, or nobody stands in
  const LaneMap* lanes_;        ///< null: the lane stays, or is as the routing says
  Crossbar crossbar_;
  const ServiceLevels* levels_;
  const Model& model_;
  const PacketSwitchSpec& spec_;
  std::uint32_t per_class_;           ///< lanes of a class of the routing
  std::unique_ptr<Detours> detours_;  ///< null: no link ever fails, or routes are lists
  bool restarts_jobs_;                ///< fixed
  std::uint32_t mtu_bytes_;           ///< fixed: of its links [B]
  std::vector<Beyond> beyond_;        ///< by port; empty where the switch itself tells of no full ways
  Discards discards_;
};

}  // namespace lightrail
