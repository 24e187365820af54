#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "components/switch/switch.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr SimTime latency{100'000};
constexpr std::uint32_t packet = 100;

/// Probe 0 - switch - switch - probe 1. A packet of 100 B takes 80 ps on a line, and a credit 200 ns there
/// and back between the switches: far more than the buffers of a few packets last for.
struct Chain {
  NetworkBed bed;
  ComponentId from = bed.add_endpoint(0), to = bed.add_endpoint(1);
  explicit Chain(std::int64_t reserve, std::int64_t buffer = 1000) {
    auto first = std::make_shared<SwitchSpec>(), second = std::make_shared<SwitchSpec>();
    first->port_rate = second->port_rate = BitRate{10'000'000'000'000};
    second->buffer = Bytes{buffer};
    second->reserve = Bytes{reserve};
    first->buffer = Bytes{1 << 30};
    const ComponentId near = bed.add(switch_kind(), first, "near"),
                      far = bed.add(switch_kind(), second, "far");
    const auto line = bed.link_class(latency, BitRate{10'000'000'000'000}, packet, 1);
    bed.connect(from, 0, near, 0, line);
    bed.connect(near, 1, far, 0, line);
    bed.connect(far, 1, to, 0, line);
    bed.route(near, SwitchRoute{{}, 0, 0, {{0}, {1}}});
    bed.route(far, SwitchRoute{{}, 0, 0, {{0}, {1}}});
  }
  void send(std::uint8_t lane, int packets) {
    for (int k = 0; k < packets; ++k)
      bed.script(from, SimTime{80 * k + lane}, 0,
                 train_payload(MessageKind::train, EndpointId{0}, EndpointId{1}, {}, packet, 1, lane));
  }
  /// Packets of a lane that came within the first credits.
  [[nodiscard]] int first_of(std::uint8_t lane) const {
    int count = 0;
    for (const Arrival& arrival : bed.trains(to))
      count += as<Train>(arrival.payload).lane == lane && arrival.time < 3 * latency + latency;
    return count;
  }
};

}  // namespace

// Two lanes of 1,000 B, 300 B of each a reserve: a lane alone has 300 + 2 x 700 = 1,700 B.
TEST_CASE("before the first credit is back a lane sends its reserve and what the lanes share") {
  Chain alone(300), apart(0), both(300);
  for (Chain* chain : {&alone, &apart}) chain->send(0, 40), chain->bed.run();
  CHECK(alone.first_of(0) == 17);
  CHECK(apart.first_of(0) == 10);
  both.send(0, 40), both.send(1, 40), both.bed.run();
  CHECK(both.first_of(0) + both.first_of(1) == 20);
  CHECK(both.first_of(0) >= 3);
  CHECK(both.first_of(1) >= 3);
  CHECK(both.bed.trains(both.to).size() == 80);
  CHECK(both.bed.waits().empty());
}

TEST_CASE("a lane that fills what is shared leaves another one its reserve") {
  Chain chain(300);
  chain.send(0, 40);
  for (int k = 0; k < 10; ++k)  // when lane 0 has taken all it may
    chain.bed.script(chain.from, SimTime{80 * 50 + 80 * k}, 0,
                     train_payload(MessageKind::train, EndpointId{0}, EndpointId{1}, {}, packet, 1, 1));
  chain.bed.run();
  CHECK(chain.first_of(0) == 17);
  CHECK(chain.first_of(1) == 3);
}

TEST_CASE("a reserve of the whole buffer gives what buffers of each lane give") {
  std::vector<SimTime> times[2];
  for (const int is_named : {0, 1}) {
    Chain chain(is_named ? 1000 : 0);
    chain.send(0, 40), chain.send(1, 40), chain.bed.run();
    for (const Arrival& arrival : chain.bed.trains(chain.to)) times[is_named].push_back(arrival.time);
  }
  CHECK(times[0] == times[1]);
}

TEST_CASE("shared credits that are saved and loaded go on as before") {
  Chain whole(300);
  whole.send(0, 40), whole.send(1, 40), whole.bed.run();
  for (const std::int64_t at : {150'000, 260'000, 430'000}) {
    Chain halves(300);
    halves.send(0, 40), halves.send(1, 40), halves.bed.run(SimTime{at});
    REQUIRE(halves.bed.trains(halves.to).size() == whole.bed.trains(whole.to).size());
    CHECK(halves.bed.end() == whole.bed.end());
  }
}

TEST_CASE("a reserve that does not hold a train is refused") {
  Chain chain(99);
  CHECK_THROWS_WITH(chain.bed.run(),
                    Catch::Contains("the reserve of a lane of 99 B at port 0 does not hold one "
                                    "train of 100 B (raise lane-reserve or lower the grain)"));
}
