#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>

#include "components/nic/nic.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr std::int64_t giga = 1'000'000'000;
constexpr SimTime packet{81'920};  ///< 4,096 B at 400 Gb/s
const Connection data = Connection::make(0, 1, 0);

/// Host 0 of the server of GPU 2 behind a storage NIC; a cable of 100 ns from that to the NIC of endpoint 1.
/// The host has PCIe of `pcie_gbps`, endpoint 1 of 500 Gb/s, both of 200 ns; the cable 400 Gb/s.
struct BehindHost {
  NetworkBed bed;
  ComponentId host = bed.add_endpoint(0, 0), far = bed.add_endpoint(1, 0), gpu = bed.add_endpoint(0, 0);
  std::shared_ptr<NicSpec> spec = std::make_shared<NicSpec>(), far_spec = std::make_shared<NicSpec>();

  explicit BehindHost(std::int64_t pcie_gbps = 500, NicRole role = NicRole::storage) {
    spec->for_role = role;
    spec->message_rate = far_spec->message_rate = 1'000'000'000'000;
    bed.book().networks[NicRole::storage] = std::make_shared<AddressBook>(bed.book());
    const ComponentId nic = bed.add(nic_kind(), spec, "storage-nic");
    const ComponentId far_nic = bed.add(nic_kind(), far_spec, "nic");
    bed.connect(host, 1, nic, 1, bed.link_class(nanoseconds(200), BitRate{pcie_gbps * giga}, 4096, 1));
    bed.connect(far, 1, far_nic, 1, bed.link_class(nanoseconds(200), BitRate{500 * giga}, 4096, 1));
    bed.connect(nic, 0, far_nic, 0, bed.link_class(nanoseconds(100), BitRate{400 * giga}, 4096, 1));
  }
  /// Trains that the host passes on for the GPU, all at once.
  void pass_on(int trains) {
    for (int i = 0; i < trains; ++i)
      bed.script(host, SimTime{0}, 1,
                 train_payload(MessageKind::train, EndpointId{2}, EndpointId{1}, data, 4096));
  }
};

}  // namespace

TEST_CASE("what the host passes on leaves a storage NIC as it comes in") {
  BehindHost net;
  net.pass_on(10);
  net.bed.run();
  const auto got = net.bed.trains(net.far);
  REQUIRE(got.size() == 10);
  // PCIe 200 ns, cable 100 ns, PCIe 200 ns, whose heads wait for the tails of the slower fabric.
  const SimTime first = nanoseconds(500) + packet - SimTime{65'536};
  for (int i = 0; i < 10; ++i) CHECK(got[i].time == first + packet * i);
  CHECK(frame_in(got[0].payload).address == Address(EndpointId{2}, EndpointId{1}, data));
}

TEST_CASE("a PCIe to the host that is slower than the fabric sets the pace") {
  BehindHost net(200);
  net.pass_on(10);
  net.bed.run();
  const auto got = net.bed.trains(net.far);
  REQUIRE(got.size() == 10);
  // 163,840 ps a packet on PCIe: the first head leaves so late, 163,840 - 81,920 ps, that its tail is not
  // overtaken.
  const SimTime first = nanoseconds(500) + packet + (packet - SimTime{65'536});
  for (int i = 0; i < 10; ++i) CHECK(got[i].time == first + SimTime{163'840} * i);
}

TEST_CASE("the buffer of a train that has left is the host's again") {
  BehindHost net;
  net.pass_on(128);  // as many as the buffer holds
  net.bed.run();
  CHECK(net.bed.trains(net.far).size() == 128);
  const auto credits = net.bed.trains(net.host, MessageKind::flow_control);
  REQUIRE(!credits.empty());
  // None before the first train's tail has left: 200 ns, a packet, 200 ns back.
  CHECK(credits.front().time >= nanoseconds(400) + packet);
}

TEST_CASE("what is for a GPU of the server goes to its host, on the one lane that there is") {
  BehindHost net;
  net.bed.script(net.far, SimTime{0}, 1, work_payload(EndpointId{1}, EndpointId{2}, data, 8192, false, 1));
  net.bed.run();
  const auto got = net.bed.trains(net.host);
  REQUIRE(got.size() == 2);
  CHECK(frame_in(got[0].payload).address.to() == EndpointId{2});
  CHECK(frame_in(got[0].payload).lane == 0);
}

TEST_CASE("a storage NIC that is saved in the middle goes on as it would have") {
  BehindHost whole, saved;
  whole.pass_on(20), saved.pass_on(20);
  whole.bed.run();
  saved.bed.run(nanoseconds(900));
  const auto one = whole.bed.trains(whole.far), two = saved.bed.trains(saved.far);
  REQUIRE(one.size() == two.size());
  for (std::size_t i = 0; i < one.size(); ++i) CHECK(one[i].time == two[i].time);
}

TEST_CASE("a NIC of GPUs takes no trains from its devices") {
  BehindHost net(500, NicRole::compute);
  net.pass_on(1);
  CHECK_THROWS_WITH(net.bed.run(), Catch::Contains("unexpected message 'train' on port 1"));
}
