#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "components/nic/nic.hpp"
#include "network/wire/congestion_notice.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr std::int64_t giga = 1'000'000'000;
constexpr SimTime packet{81'920};  ///< of 4,096 B at 400 Gb/s

/// A NIC between GPU 0 and a probe in place of the fabric.
struct OneNic {
  NetworkBed bed;
  ComponentId gpu = bed.add_endpoint(0), far = bed.add_endpoint(1);

  explicit OneNic(bool has_dcqcn = true) {
    auto spec = std::make_shared<NicSpec>();
    spec->message_rate = 1'000'000'000'000;
    const ComponentId nic = bed.add(nic_kind(), spec, "nic");
    bed.connect(gpu, 1, nic, 1, bed.link_class(nanoseconds(200), BitRate{500 * giga}, 4096, 1));
    bed.connect(nic, 0, far, 0, bed.link_class(nanoseconds(100), BitRate{400 * giga}, 4096, 1));
    DcqcnSpec settings;
    settings.gain = 1.0 / 256, settings.increase_bytes = Bytes{0};
    if (has_dcqcn) bed.finish_model().add(std::make_shared<const Dcqcn>(Dcqcn{settings}));
  }
  void mark(SimTime at, std::uint32_t channel) {
    bed.script(far, at, 0,
               train_payload(MessageKind::marked_train, EndpointId{1}, EndpointId{0},
                             Connection::make(0, channel, 0), 4096));
  }
};

}  // namespace

TEST_CASE("marked packets of a flow are answered by one notice in an interval") {
  OneNic net;
  for (const int us : {0, 1, 3, 4, 5, 9}) net.mark(microseconds(us), 1);
  net.mark(microseconds(2), 2);
  net.bed.run(microseconds(6));
  std::vector<SimTime> times;
  for (const Arrival& a : net.bed.trains(net.far, MessageKind::congestion_notice)) {
    const Frame notice = frame_in(a.payload);
    CHECK(notice.bytes == CongestionNotice::roce_wire_bytes);
    CHECK(notice.address.from() == EndpointId{0});
    if (notice.address.connection() == Connection::make(0, 1, 0)) times.push_back(a.time - nanoseconds(200));
  }
  CHECK(times == std::vector<SimTime>{SimTime{0}, microseconds(4), microseconds(9)});
  CHECK(net.bed.trains(net.far, MessageKind::congestion_notice).size() == 4);
  CHECK(net.bed.trains(net.gpu).size() == 7);  // as packets that have no mark
}

TEST_CASE("without DCQCN marks are passed over") {
  OneNic net(false);
  net.mark(SimTime{0}, 1);
  net.bed.run();
  CHECK(net.bed.trains(net.far, MessageKind::congestion_notice).empty());
  CHECK(net.bed.trains(net.gpu).size() == 1);
}

TEST_CASE("a notified flow is sent at the rate that is left, and another one has the rest of the line") {
  OneNic net;
  for (const std::uint32_t channel : {1u, 2u})
    net.bed.script(net.gpu, SimTime{0}, 1,
                   work_payload(EndpointId{0}, EndpointId{1}, Connection::make(0, channel, 0),
                                4096 * (channel == 1 ? 400 : 100)));
  CongestionNotice notice;
  notice.address = Address(EndpointId{1}, EndpointId{0}, Connection::make(0, 1, 0));
  net.bed.script(net.far, SimTime{0}, 0, to_payload(notice));
  net.bed.run();
  std::vector<SimTime> times;
  for (const Arrival& a : net.bed.trains(net.far))
    if (frame_in(a.payload).address.connection() == Connection::make(0, 1, 0)) times.push_back(a.time);
  REQUIRE(times.size() == 400);
  // At first both have half of the line. The notice, heard at 0.1 us, cuts at 4.1 us to 1 - (255/256)^4 / 2,
  // and that is a little more than half: nothing changes. When the other flow has ended there is room for it.
  CHECK(times[20] - times[19] == packet * 2);
  const double rate = 1 - 0.98446 / 2;
  CHECK(static_cast<double>((times[399] - times[390]).count()) ==
        Approx(9 * static_cast<double>(packet.count()) / rate).epsilon(0.01));
}
