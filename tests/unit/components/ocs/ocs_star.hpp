#pragma once
#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "components/ocs/ocs.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

namespace lightrail::test {

/// Probes on the ports of one optical switch, 100 ns of fibre each.
struct OcsStar {
  NetworkBed bed;
  std::vector<ComponentId> probes;
  std::shared_ptr<OcsSpec> spec = std::make_shared<OcsSpec>();

  OcsStar(std::uint32_t ports, const std::string& circuits,
          const std::function<void(LinkLight&)>& light = {}) {
    spec->ports = ports;
    REQUIRE(CircuitTable::parse(circuits, ports, spec->first) == "");
    spec->dark_time = microseconds(10);
    auto fibre = bed.link_class(nanoseconds(100), BitRate{400'000'000'000});
    if (light) light(bed.link_class_at(fibre).light);
    for (std::uint32_t i = 0; i < ports; ++i) probes.push_back(bed.add_endpoint());
    ComponentId ocs = bed.add(ocs_kind(), spec, "ocs");
    for (std::uint32_t i = 0; i < ports; ++i)
      bed.connect(probes[i], 0, ocs, static_cast<PortIndex>(i), fibre);
    bed.record(milliseconds(1000));
  }
  Reconfiguration change(SimTime at, const std::string& circuits) const {
    Reconfiguration r{at, {}};
    REQUIRE(CircuitTable::parse(circuits, spec->ports, r.table) == "");
    return r;
  }
  void send(SimTime at, std::uint32_t from = 0, std::uint32_t bytes = 4096) {
    bed.script(probes[from], at, 0,
               train_payload(MessageKind::train, EndpointId{from}, EndpointId{1}, {}, bytes, 1));
  }
};

}  // namespace lightrail::test
