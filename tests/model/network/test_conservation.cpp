#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "network/port/trains_per_message.hpp"
#include "tests/model/network/clos_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

TEST_CASE("nothing is lost, doubled or left waiting in random Clos networks under random traffic") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    ClosShape shape = random_shape(seed);
    CAPTURE(seed, shape.leaves, shape.hosts, shape.spines, shape.routing->name, shape.grain, shape.buffer);
    ClosBed net(shape);
    fill_randomly(net, seed, 60);
    net.bed.run();
    REQUIRE(net.bed.waits() == std::vector<std::string>{});
    REQUIRE(net.arrived() == net.posted);
  }
}

TEST_CASE("every completion that was asked for comes once") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    ClosBed net(random_shape(seed));
    for (std::uint32_t i = 0; i < 40; ++i)
      net.post(nanoseconds(50 * (i % 5)), i % net.endpoints(), (i * 7) % net.endpoints(), 1 + 5000 * i, i,
               true);
    net.bed.run();
    std::vector<int> seen(40);
    for (ComponentId probe : net.probes)
      for (const Arrival& a : net.bed.trains(probe, MessageKind::sent)) {
        ++seen[frame_in(a.payload).address.connection().channel()];
        CHECK(frame_in(a.payload).bytes == 1 + 5000 * frame_in(a.payload).address.connection().channel());
      }
    CHECK(seen == std::vector<int>(40, 1));
  }
}

TEST_CASE("messages of one connection arrive in order with static routing") {
  for (std::uint64_t seed = 100; seed < 120; ++seed) {
    ClosShape shape = random_shape(seed);
    shape.routing = static_routing();
    shape.leaves = 2;
    ClosBed net(shape);
    std::uint32_t last = net.endpoints() - 1;
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t i = 0; i < 10; ++i) {
      sizes.push_back(1 + i * 777);
      net.post(nanoseconds(i), 0, last, sizes[i]);
      net.post(nanoseconds(i), 0, last, 50'000, 1);
    }
    net.bed.finish_model().add(std::make_shared<const TrainsPerMessage>(TrainsPerMessage{1}));
    net.bed.run();
    std::vector<std::uint32_t> got;
    std::int64_t whole = static_cast<std::int64_t>(4096) * shape.grain;
    std::uint32_t sum = 0;
    for (const Arrival& a : net.bed.trains(net.probes[last])) {
      if (frame_in(a.payload).address.connection().channel() != 0) continue;
      sum += frame_in(a.payload).bytes;
      if (frame_in(a.payload).bytes < whole) got.push_back(sum), sum = 0;
    }
    CHECK(got == sizes);
  }
}

TEST_CASE("a network saved at any moment and loaded gives the very arrivals of an uninterrupted run") {
  for (std::uint64_t seed = 200; seed < 230; ++seed) {
    CAPTURE(seed);
    std::vector<std::pair<SimTime, Payload>> seen[2];
    for (int k = 0; k < 2; ++k) {
      ClosBed net(random_shape(seed));
      fill_randomly(net, seed, 40);
      net.bed.run(k == 0 ? time_never : nanoseconds(700 + 311 * static_cast<std::int64_t>(seed % 17)));
      for (ComponentId probe : net.probes)
        for (const Arrival& a : net.bed.arrivals(probe)) seen[k].emplace_back(a.time, a.payload);
    }
    REQUIRE(seen[0] == seen[1]);
  }
}
