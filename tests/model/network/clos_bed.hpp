#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "components/nic/nic.hpp"
#include "components/switch/switch.hpp"
#include "tests/support/network_bed.hpp"

namespace lightrail::test {

/// A two-tier Clos of probes behind NICs: `leaves` leaf switches with `hosts` endpoints each, `spines`
/// spines. Every link 400 Gb/s; trunks 150 ns, PCIe 200 ns.
struct ClosShape {
  std::uint32_t leaves = 2, hosts = 4, spines = 4;
  std::shared_ptr<const RoutingKind> routing = static_routing();
  std::int64_t buffer = 65'536;
  std::uint32_t grain = 1;
  SimTime latency{};                     ///< of a switch
  SimTime host_link = nanoseconds(100);  ///< latency of a link from a NIC to its leaf
  std::int64_t pcie_gbps = 400;
};

class ClosBed {
 public:
  explicit ClosBed(const ClosShape& shape);

  /// A message from one endpoint to another; counted in `posted`.
  void post(SimTime at, std::uint32_t from, std::uint32_t to, std::uint32_t bytes, std::uint32_t channel = 0,
            bool notify = false, std::uint8_t lane = 0);
  std::uint32_t endpoints() const { return static_cast<std::uint32_t>(probes.size()); }
  /// Payload by (from, channel, to): what arrived.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::int64_t> arrived() const;

  NetworkBed bed;
  std::vector<ComponentId> probes, nics, leaf_switches, spine_switches;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::int64_t> posted;
};

/// A Clos of random shape, sizes and traffic: any two ends, self-sends, control messages, bursts at equal
/// times.
void fill_randomly(ClosBed& net, std::uint64_t seed, int messages);
ClosShape random_shape(std::uint64_t seed);

}  // namespace lightrail::test
