#pragma once
#include <cstdint>
#include <vector>

#include "network/port/egress_bank.hpp"
#include "network/routing/routing.hpp"
#include "network/wire/frame.hpp"

namespace lightrail {

enum class Routing : std::uint8_t {
  fixed,         ///< destination-mod-k: by lid only
  ecmp,          ///< hash of the flow with the switch's own salt
  adaptive,      ///< every train: the port with credits and the least backlog
  adaptive_flow  ///< every flowlet: as adaptive, then the same port until the flow pauses
};

/// Picks one of the ports that lead to a lid. Ports without a link are passed over, except by fixed routing.
class PortChooser {
 public:
  struct Settings {
    Routing routing = Routing::fixed;
    std::uint64_t salt = 0;
    std::uint32_t flow_entries = 0;  ///< adaptive_flow: remembered flows
    SimTime flowlet_gap{};           ///< adaptive_flow: a pause after which a flow may move
  };
  explicit PortChooser(const Settings& settings);

  static constexpr PortIndex unroutable = 0xfffe;
  PortIndex choose(const SwitchRoute& route, Lid lid, const Frame& train, const EgressBank& egress,
                   const Context& context);

  void save(StateWriter& out) const { out.put(flows_); }
  void load(StateReader& in) { in.get(flows_); }

 private:
  struct Flow {
    std::uint64_t hash = 0;
    SimTime last{-1};
    PortIndex port = unroutable;
    std::uint16_t unused[3] = {};
  };
  PortIndex fixed_port(const SwitchRoute& route, const SwitchRoute::Candidates& ports, Lid lid,
                       const EgressBank& egress) const;
  PortIndex least_loaded(const SwitchRoute::Candidates& ports, std::uint64_t hash, const Frame& train,
                         const EgressBank& egress, const Context& context) const;
  PortIndex remembered(const SwitchRoute::Candidates& ports, std::uint64_t hash, const Frame& train,
                       const EgressBank& egress, const Context& context);

  Settings settings_;
  std::vector<Flow> flows_;  ///< direct-mapped: a newcomer replaces the flow in its place
};

}  // namespace lightrail
