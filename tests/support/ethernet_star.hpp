#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "components/ethernet-switch/ethernet_switch.hpp"
#include "components/nic/nic.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

namespace lightrail::test {

/// Endpoints, each with a NIC of its own that pauses, around one Ethernet switch: endpoint k at port k. PCIe
/// is faster than the fabric, so that messages leave without gap, unless `pcie` of an endpoint says
/// otherwise.
struct EthernetStar {
  static constexpr std::int64_t giga = 1'000'000'000;

  std::int64_t gbps = 400;
  SimTime cable = nanoseconds(50);
  std::uint32_t mtu = 4096, grain = 1;
  std::uint8_t lanes = 1;
  std::vector<BitRate> pcie;             ///< by endpoint
  std::vector<std::int64_t> cable_gbps;  ///< by endpoint; else `gbps`
  std::shared_ptr<const ComponentKind> kind = ethernet_switch_kind();
  std::shared_ptr<EthernetSwitchSpec> spec = std::make_shared<EthernetSwitchSpec>();
  NicSpec nic;  ///< of all NICs, but for what build() sets
  Bytes nic_buffer{1 << 20};
  NetworkBed bed;
  std::vector<ComponentId> gpus;
  ComponentId device;

  /// Wires `count` endpoints with what has been set so far.
  void build(std::uint32_t count) {
    pcie.resize(count, BitRate{gbps * 2 * giga});
    cable_gbps.resize(count, gbps);
    spec->port_rate = BitRate{gbps * giga};
    spec->lanes = lanes;
    spec->settle();
    SwitchRoute route;
    for (std::uint32_t k = 0; k < count; ++k) {
      gpus.push_back(bed.add_endpoint(k, 0));
      route.listed.push_back({static_cast<PortIndex>(k)});
    }
    device = bed.add(kind, spec, "switch");
    bed.route(device, route);
    for (std::uint32_t k = 0; k < count; ++k) {
      auto own = std::make_shared<NicSpec>(nic);
      own->flow_control = NicFlowControl::pauses;
      own->port_rate = own->pcie_rate = BitRate{gbps * 2 * giga};
      own->message_rate = 1'000'000'000'000;
      own->lanes = lanes;
      own->buffer = nic_buffer;
      own->settle();
      const ComponentId id = bed.add(nic_kind(), own, "nic");
      bed.connect(id, 0, device, static_cast<PortIndex>(k),
                  bed.link_class(cable, BitRate{cable_gbps[k] * giga}, mtu, grain));
      bed.connect(gpus[k], 1, id, 1, bed.link_class(nanoseconds(200), pcie[k], mtu, grain));
    }
  }
  void post(std::uint32_t from, std::uint32_t to, std::uint32_t bytes, std::uint8_t lane = 0,
            SimTime at = SimTime{}) {
    bed.script(
        gpus[from], at, 1,
        work_payload(EndpointId{from}, EndpointId{to}, Connection::make(0, lane, 0), bytes, false, lane));
  }
};

}  // namespace lightrail::test
