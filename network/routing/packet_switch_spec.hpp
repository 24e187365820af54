#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "engine/model/describe.hpp"
#include "network/port/buffered_spec.hpp"
#include "network/routing/packet_switch_traits.hpp"
#include "network/routing/routing_registry.hpp"
#include "network/routing/up_down_routings.hpp"
#include "network/transport/lane_map.hpp"
#include "network/transport/retransmission.hpp"

namespace lightrail {

/// What every kind of packet switch says of itself, whatever its buffers and flow control.
struct PacketSwitchSpec : BufferedSpec, PacketSwitchTraits, LaneMapSpec {
  std::uint32_t ports = 64;
  BitRate port_rate{400'000'000'000};
  std::uint32_t lanes = 2;
  std::string lane_list;  ///< by service level, "0,0,1"; "": as <lanes> says
  LaneMap lane_table;     ///< the one that says so
  SimTime latency{0};
  std::string routing_name = "static";
  std::shared_ptr<const RoutingKind> routing = static_routing();  ///< the one of that name
  std::uint32_t flow_entries = 1024;
  SimTime flowlet_gap = microseconds(1);
  Bytes notice_threshold{128 * 1024};
  SimTime retransmit_timeout = Retransmission::infiniband_timeout;  ///< of what a link lost
  std::uint32_t retries = max_retries;
  Watts power{0};

  [[nodiscard]] std::uint32_t radix() const final { return ports; }
  [[nodiscard]] Watts electrical_power() const final { return power; }
  [[nodiscard]] const RoutingKind& routing_kind() const final { return *routing; }
  [[nodiscard]] std::uint32_t lane_count() const final { return lanes; }
  [[nodiscard]] const LaneMap& lane_map() const final { return lane_table; }
};

/// Its parameters, in four parts, since a kind's own stand between them. XSpec derives from PacketSwitchSpec.
template <class XSpec>
class PacketSwitchFields {
 public:
  explicit PacketSwitchFields(Describe<XSpec>& table) : table_(table) {}
  void add_ports() {
    table_.field("ports", of(&P::ports), "number of ports (radix)", 1u, 4096u)
        .field("port-rate", of(&P::port_rate), "fastest link a port takes", BitRate{1},
               BitRate{1'000'000'000'000'000});
  }
  void add_lanes() {
    table_.field("lanes", of(&P::lanes), "virtual lanes; must match what is attached", 1u, max_lanes)
        .field("sl-to-vl", of(&P::lane_list),
               "lanes of service levels 0, 1, 2 ... (0,0,1); without it as <lanes> says")
        .field("latency", of(&P::latency), "pipeline, head in to head out of an idle switch", SimTime{0},
               milliseconds(1));
  }
  void add_routing(const RoutingRegistry& routings) {
    table_.field("routing", of(&P::routing_name), routings.documentation().c_str())
        .field("flow-entries", of(&P::flow_entries),
               "flows that adaptive-flow remembers, destinations whose turns adaptive and spray do", 1u,
               1u << 20)
        .field("flowlet-gap", of(&P::flowlet_gap), "pause after which adaptive-flow may move a flow",
               SimTime{0}, milliseconds(1000))
        .field("notice-threshold", of(&P::notice_threshold),
               "what lies before the best port down for a train before adaptive-notified tells the switch "
               "before",
               Bytes{1}, Bytes{1ll << 31})
        .field("retransmit-timeout", of(&P::retransmit_timeout),
               "until what an optical switch lost is sent again", SimTime{1}, milliseconds(3'600'000))
        .field("retries", of(&P::retries), "how often before the connection breaks", 0u, max_retries);
  }
  void add_power() {
    table_.field("power", of(&P::power), "electrical power, for the power table; 0: not known", Watts{0},
                 Watts{1e6});
  }

 private:
  using P = PacketSwitchSpec;
  template <class T>
  static T XSpec::*of(T P::*member) {
    return member;
  }
  Describe<XSpec>& table_;
};

/// After the parameters of a switch's element have been read: finds its routing by name and its table of
/// lanes. Errors for what that routing does not read.
void read_routing_and_lanes(const Element& element, const RoutingRegistry& routings, PacketSwitchSpec& spec,
                            ErrorList& errors);

/// Makes the attribute `routing` of a kind a choice among `routings`, for its documentation.
void document_routings(const RoutingRegistry& routings, ComponentKind& kind);

}  // namespace lightrail
