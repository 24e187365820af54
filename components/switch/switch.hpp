#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "network/health/nic_health.hpp"
#include "network/port/congestion_marker.hpp"
#include "network/port/credit/credit_flow_control.hpp"
#include "network/port/credit/shared_credits.hpp"
#include "network/port/crossbar.hpp"
#include "network/reduction/reductions.hpp"
#include "network/routing/packet_switch_traits.hpp"
#include "network/routing/routing_registry.hpp"
#include "network/routing/up_down_routings.hpp"
#include "network/transport/lane_map.hpp"
#include "network/transport/retransmission.hpp"
#include "network/transport/service_levels.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/link_change.hpp"
#include "network/wire/train.hpp"
#include "workloads/collective/group_plan.hpp"

namespace lightrail {

struct SwitchSpec final : BufferedSpec, MulticastSpec, PacketSwitchTraits, LaneMapSpec {
  std::uint32_t ports = 64;
  BitRate port_rate{400'000'000'000};
  Bytes buffer{512 * 1024};
  Bytes reserve{0};  ///< of `buffer`, what only its lane may use; 0: all of it
  std::uint32_t lanes = 2;
  std::string lane_list;  ///< by service level, "0,0,1"; "": as <lanes> says
  LaneMap lane_table;     ///< the one that says so
  SimTime latency{0};
  Crossbar::Queueing queueing = Crossbar::Queueing::virtual_output;
  std::string routing_name = "static";
  std::shared_ptr<const RoutingKind> routing = static_routing();  ///< the one of that name
  std::uint32_t flow_entries = 1024;
  SimTime flowlet_gap = microseconds(1);
  SimTime retransmit_timeout = Retransmission::infiniband_timeout;  ///< of what an optical switch lost
  std::uint32_t retries = max_retries;
  Watts power{0};
  double sharp_efficiency = 0;

  [[nodiscard]] double multicast_efficiency() const override { return sharp_efficiency; }
  [[nodiscard]] SimTime switching_latency() const override { return latency; }

  [[nodiscard]] std::uint32_t radix() const override { return ports; }
  [[nodiscard]] Watts electrical_power() const override { return power; }
  [[nodiscard]] const RoutingKind& routing_kind() const override { return *routing; }
  [[nodiscard]] std::uint32_t lane_count() const override { return lanes; }
  [[nodiscard]] const LaneMap& lane_map() const override { return lane_table; }
  [[nodiscard]] InputBuffer input_buffer(PortIndex) const override {
    const bool is_shared = reserve.value > 0;
    return {static_cast<std::uint8_t>(lanes), buffer.value,
            is_shared ? &shared_credit_flow_control() : &credit_flow_control(), reserve.value};
  }
};

/// An InfiniBand-like packet switch: lossless by credits per virtual lane, cut-through, up/down routes.
///
/// Assumes: every input has its own buffer per lane; the crossbar is never the bottleneck; outputs serve
/// trains in the order of their arrival, unless lanes have weights. What an optical switch lost is sent again
/// from here, when the source's retransmission timer would end. SHARP: trains to be reduced are kept until
/// the group's members at the same place of all servers, all joined to this switch, have sent theirs; the sum
/// goes to each; the arithmetic takes no time, its rate is in the senders' wire bytes (`sharp-efficiency`).
/// Marks trains that meet congestion where there is a CongestionControl (CongestionMarker). Leaves out
/// SHARP's trees of several switches, priorities between lanes, multicast, link errors.
class Switch final : public Component {
 public:
  explicit Switch(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  void handle_all(EventBatch& batch) override;
  void prefetch() const override {
    crossbar_.prefetch_all();
    __builtin_prefetch(routing_.get());
  }
  void finish(Context& context) override;
  [[nodiscard]] bool is_idle_wake(const Event& event) const override;
  [[nodiscard]] std::vector<std::string> waits_for() const override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  /// Where `frame`, which came in on `in`, goes. Throws SimulationError when nothing leads there.
  RouteChoice way_of(const Frame& frame, PortIndex in, Context& context);
  void forward(const Frame& frame, PortIndex in, Context& context);
  /// As it leaves: on the lane of its service level.
  [[nodiscard]] Frame on_own_lane(const Frame& frame) const;
  /// Any message that is neither a train nor of flow control.
  void handle_rare(const Payload& payload, PortIndex port, Context& context);
  [[nodiscard]] bool is_idle_change(const LinkChange& change) const;
  void reduce(Context& context, const Train& train, PortIndex port);
  void on_cut_off(Context& context);
  void send_again(const Train& back, PortIndex port, Context& context);
  [[noreturn]] void fail(const Context& context, const std::string& what) const;
  [[noreturn]] void fail_without_endpoint(const Context& context, EndpointId to) const;
  [[noreturn]] void fail_without_route(const Context& context, EndpointId to) const;

  const Model& model_;
  const SwitchSpec& spec_;
  const AddressBook* book_;
  const NicHealth* health_;  ///< null: no NIC's cable ever fails
  const SwitchRoute* route_;
  const ServiceLevels* levels_;
  const LaneMap* lanes_;     ///< null: the lane stays, or is as the routing says
  std::uint32_t per_class_;  ///< lanes of a class of the routing
  Crossbar crossbar_;
  std::unique_ptr<Routing> routing_;        ///< null: the switch has no routes
  std::optional<CongestionMarker> marker_;  ///< where there is congestion control
  bool is_plain_ = true;                    ///< neither lanes_ nor marker_
  Reductions reductions_;
};

/// `routings`: what its attribute `routing` may name.
[[nodiscard]] std::shared_ptr<const ComponentKind> switch_kind(
    const RoutingRegistry& routings = built_in_routings());

}  // namespace lightrail
