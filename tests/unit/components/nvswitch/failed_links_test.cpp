// What an NVSwitch does where links of its chips fail.
#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "components/nvswitch/nvswitch.hpp"
#include "network/health/health_table.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// Two GPUs of a server on two chips: chip k's port to GPU i is 2 k + i, the GPU's own port k.
struct Chips {
  NetworkBed bed;
  ComponentId gpus[2], device;
  LinkId links[2][2];  ///< by chip and GPU, from the switch
  Chips() {
    for (std::uint16_t i = 0; i < 2; ++i) gpus[i] = bed.add_endpoint(0, i, i);
    bed.book().gpu_count = 2;
    auto spec = std::make_shared<NvswitchSpec>();
    spec->planes = 2, spec->plane_hash = PlaneHash::flow;
    device = bed.add(nvswitch_kind(), spec, "nvswitch");
    const auto nvlink = bed.link_class(nanoseconds(100), BitRate{3'600'000'000'000});
    for (std::uint16_t k = 0; k < 2; ++k)
      for (std::uint16_t i = 0; i < 2; ++i)
        links[k][i] = bed.connect(device, static_cast<PortIndex>(2 * k + i), gpus[i], k, nvlink);
  }
  /// The link of a chip to GPU 1 is down in that span; senders know 5 us later.
  void fail(const std::vector<std::pair<int, Outage>>& outages) {
    HealthTable::Outages all;
    for (const auto& [chip, outage] : outages)
      for (const LinkId link : {links[chip][1], LinkId{links[chip][1].value ^ 1}})
        all[link].push_back(outage);
    bed.set_health(HealthTable({microseconds(5), microseconds(9)}, all));
  }
  void send(SimTime at) {
    bed.script(gpus[0], at, 0, train_payload(MessageKind::train, EndpointId{0}, EndpointId{1}, {}, 4096, 1));
  }
};

constexpr SimTime nvlink_hop = nanoseconds(100);

}  // namespace

TEST_CASE("a train whose chip has lost the link to its GPU goes by another chip when that is known") {
  Chips net;
  net.fail({{0, {microseconds(1), time_never}}});
  net.send(SimTime{0});
  net.send(microseconds(2));
  net.bed.run();
  const auto got = net.bed.trains(net.gpus[1]);
  REQUIRE(got.size() == 2);
  CHECK(got[0].port == 0);
  CHECK(got[0].time == 2 * nvlink_hop);
  CHECK(got[1].port == 1);
  CHECK(got[1].time == microseconds(6) + nvlink_hop);
}

TEST_CASE("an outage that ends before it is known is waited for") {
  Chips net;
  net.fail({{0, {microseconds(1), microseconds(4)}}});
  net.send(microseconds(2));
  net.bed.run();
  const auto got = net.bed.trains(net.gpus[1]);
  REQUIRE(got.size() == 1);
  CHECK(got[0].port == 0);
  CHECK(got[0].time == microseconds(4) + nvlink_hop);
}

TEST_CASE("where no chip leads to a GPU now a train waits for the first that does, saved or not") {
  for (const SimTime save_at : {time_never, microseconds(3), microseconds(7)}) {
    Chips net;
    net.fail({{0, {microseconds(1), microseconds(20)}}, {1, {microseconds(1), microseconds(30)}}});
    net.send(microseconds(2));
    net.bed.run(save_at);
    const auto got = net.bed.trains(net.gpus[1]);
    REQUIRE(got.size() == 1);
    CHECK(got[0].port == 0);
    CHECK(got[0].time == microseconds(20) + nvlink_hop);
  }
  Chips restarted;  // the job will be stopped
  restarted.fail({{0, {microseconds(1), time_never}}, {1, {microseconds(1), time_never}}});
  restarted.send(microseconds(2));
  restarted.bed.finish_model().add<RestartsJobs>(std::make_shared<const RestartsJobs>());
  restarted.bed.run();
  CHECK(restarted.bed.trains(restarted.gpus[1]).empty());
  Chips lost;
  lost.fail({{0, {microseconds(1), time_never}}, {1, {microseconds(1), time_never}}});
  lost.send(microseconds(2));
  CHECK_THROWS_WITH(lost.bed.run(),
                    Catch::Contains("a train for endpoint 1 (gpu1) cannot be sent: no link of a "
                                    "chip to gpu1 is up any more"));
}
