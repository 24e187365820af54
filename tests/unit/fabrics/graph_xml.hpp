#pragma once
#include <string>

#include "tests/unit/fabrics/test_system.hpp"

namespace lightrail::test {

/// <link> of a graph over short copper, or PCIe, NVLink, DR4 fibre.
inline std::string wire(const std::string& from, const std::string& to, const std::string& kind = "copper") {
  const std::string ends = "<link from=\"" + from + "\" to=\"" + to + "\" ";
  if (kind == "copper") return ends + copper + "/>";
  if (kind == "pcie") return ends + "kind=\"pcie\" generation=\"4\"/>";
  if (kind == "nvlink")
    return ends + "kind=\"nvlink\" links=\"1\" rate-per-link=\"100 GB/s\" latency=\"50 ns\"/>";
  return ends +
         "kind=\"optical\" rate=\"400 Gb/s\" length=\"10 m\" connectors=\"1\"><transceiver "
         "catalogue=\"optics/400g_dr4\"/></link>";
}

/// GPU g<i> with NIC n<i>.
inline std::string node(int i) {
  const std::string n = std::to_string(i);
  return "<gpu name=\"g" + n + "\"/><nic name=\"n" + n + "\"/>" +
         wire("g" + n + ":1", "n" + n + ":1", "pcie");
}

inline std::string graph(const std::string& inner, const std::string& attributes = "") {
  return "<graph " + attributes + ">\n" + inner + "\n</graph>";
}

}  // namespace lightrail::test
