#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include "components/nvswitch/nvswitch.hpp"
#include "network/circuits/regions.hpp"
#include "network/port/tables.hpp"
#include "network/transport/nic_returns.hpp"
#include "tests/unit/components/gpu/sender.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr SimTime nvlink = nanoseconds(50), nvswitch = nanoseconds(100);
constexpr std::int64_t bytes = 40'000;
const SimTime nvlink_line = picoseconds(5 * bytes);  // 200 GB/s

/// Two servers of two GPUs. GPUs 0 and 2 own the NICs, which one fibre joins: delegates of GPUs 1 and 3.
struct TwoServers {
  NetworkBed bed;
  std::vector<Sender::Told> told = std::vector<Sender::Told>(4);
  std::vector<std::shared_ptr<SenderSpec>> specs;
  std::vector<LinkId> nvlinks;

  TwoServers(bool gathers, bool scatters) {
    const auto wire = bed.link_class(nvlink, BitRate{1'600'000'000'000}, 4096, 16);
    const auto pcie = bed.link_class(nanoseconds(200), BitRate{500'000'000'000}, 4096, 16);
    const auto fibre = bed.link_class(nanoseconds(100), BitRate{400'000'000'000}, 4096, 16);
    std::vector<ComponentId> gpus, nics;
    for (std::uint32_t i = 0; i < 4; ++i) {
      specs.push_back(std::make_shared<SenderSpec>());
      gpus.push_back(bed.add(sender_kind(&told[i]), specs.back(), "gpu"));
      bed.book().endpoints.push_back({i / 2, Lid{i / 2}, static_cast<std::uint16_t>(i % 2), 0});
      bed.book().component_of.push_back(gpus.back());
    }
    bed.book().gpu_count = 4, bed.book().lid_count = 2;
    for (std::uint32_t s = 0; s < 2; ++s) {
      auto spec = std::make_shared<NvswitchSpec>();
      spec->latency = nvswitch;
      const ComponentId hub = bed.add(nvswitch_kind(), spec, "nvswitch");
      for (std::uint16_t g = 0; g < 2; ++g)
        nvlinks.push_back(bed.connect(gpus[2 * s + g], GpuPort::nvlink, hub, g, wire));
      nics.push_back(bed.add(nic_kind(), std::make_shared<NicSpec>(), "nic"));
      bed.connect(gpus[2 * s], GpuPort::nic, nics.back(), 1, pcie);
    }
    bed.connect(nics[0], 0, nics[1], 0, fibre);
    auto regions = std::make_shared<Regions>();
    regions->regions.resize(1);
    regions->regions[0].servers = {0, 1};
    regions->regions[0].circuits = {{0, 1, 0, 0}};
    regions->place_of_server = {{0, 0}, {0, 1}};
    regions->optical_nics = regions->gpu_of_nic = {0};
    regions->gathers = gathers, regions->scatters = scatters;
    bed.record(milliseconds(1));
    Model& model = bed.finish_model();
    model.add<Regions>(regions);
    model.add<NicReturns>(
        std::make_shared<NicReturns>(NicReturns{StrayTrains::to_gpu, LostTrains::from_nic_then_gpu}));
  }
  /// When a message is whole at its receiver.
  SimTime end(std::uint32_t from, std::uint32_t to, SimTime save_at = time_never) {
    specs[from]->send(SimTime{0}, to, bytes, false, 1);
    specs[to]->expected = {{EndpointId{from}, Connection{}, bytes, bytes, SimTime{0}, {2, 0}, true}};
    bed.run(save_at);
    CHECK(bed.waits().empty());
    CHECK(told[from].size() == 1);
    REQUIRE(told[to].size() == 1);
    return told[to][0].second;
  }
  /// Payload that one server's NVSwitch has sent.
  std::int64_t on_nvlink(std::uint32_t server) {
    std::int64_t sum = 0;
    for (const Row& row : bed.rows(tables::link_use))
      for (std::uint32_t g = 0; g < 2; ++g)
        if (const LinkId link = nvlinks[2 * server + g]; (row.values[0] | 1) == (link.value | 1))
          sum += row.values[2];
    return sum;
  }
};

}  // namespace

TEST_CASE("gather and scatter each cost NVLink's line and switch, and neither when it is switched off") {
  const SimTime direct = TwoServers(true, true).end(0, 2);
  // A hop past NVLink has the latency of the two links, and the delegates' way is otherwise the same.
  for (const bool gathers : {true, false})
    for (const bool scatters : {true, false}) {
      TwoServers system(gathers, scatters);
      const SimTime end = system.end(1, 3);
      CHECK(end == direct + 4 * nvlink + (gathers + scatters) * (nvswitch + nvlink_line));
      CHECK(system.on_nvlink(0) == (gathers ? bytes : 0));
      CHECK(system.on_nvlink(1) == (scatters ? bytes : 0));
      CHECK(TwoServers(gathers, scatters).end(1, 3, microseconds(1)) == end);
    }
}

TEST_CASE("a message that passes NVLink by has left its GPU at once") {
  TwoServers on(true, true), off(false, true);
  on.end(1, 3), off.end(1, 3);
  CHECK(on.told[1][0].second == nvlink_line);
  CHECK(off.told[1][0].second == SimTime{0});
}
