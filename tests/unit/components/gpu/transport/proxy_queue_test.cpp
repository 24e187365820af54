#include "components/gpu/transport/proxy_queue.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace lightrail {
namespace {

WorkRequest work(std::uint32_t from, std::uint32_t to, std::uint32_t bytes) {
  return {.bytes = bytes, .address = Address(EndpointId{from}, EndpointId{to}, {})};
}

/// Collects what the proxy sends (port 1) and when it wants to wake.
struct Bench final : EventSink, RowSink {
  std::vector<Event> sent, wakes;
  std::vector<OutLink> ports{OutLink{}, OutLink{SimTime{0}, LinkId{1}, ComponentId{1}}};
  OutLink self{SimTime{0}, LinkId{9}, ComponentId{0}};
  ProxyQueue proxy{Payload{}, nanoseconds(1'000), nanoseconds(400), 3};

  void push(SimTime time, std::uint32_t tie, Payload payload, const OutLink& link) override {
    (link.to.value == 1 ? sent : wakes).push_back({time, link.id, tie, payload});
  }
  void append(TableId, ComponentId, SimTime, std::span<const std::int64_t>) override {}
  Context at(SimTime now) { return {ComponentId{0}, now, ports, self, *this, *this}; }
  void post(SimTime now, std::uint32_t from, std::uint32_t to, std::uint32_t bytes, SimTime in = SimTime{0}) {
    Context context = at(now);
    proxy.post(context, now + in, {work(from, to, bytes), EndpointId{to}, 1, ProxyQueue::Share::request});
  }
  void wake() {
    Context context = at(wakes.back().time);
    proxy.on_wake(context);
  }
};

}  // namespace

TEST_CASE("an idle proxy posts a request after its overhead") {
  Bench bench;
  bench.post(nanoseconds(500), 1, 2, 100);
  REQUIRE(bench.sent.size() == 1);
  CHECK(bench.sent[0].time == nanoseconds(1'500));
  CHECK(bench.wakes.empty());
}

TEST_CASE("a busy proxy posts what waits for one receiver together, up to its limit") {
  Bench bench;
  bench.post(SimTime{0}, 1, 2, 100);
  for (std::uint32_t from : {1u, 3u, 4u, 5u}) bench.post(nanoseconds(10), from, 7, 10 * from);
  bench.post(nanoseconds(20), 1, 8, 5);
  REQUIRE(bench.wakes.size() == 1);
  CHECK(bench.wakes[0].time == nanoseconds(1'000));
  bench.wake();
  REQUIRE(bench.sent.size() == 4);
  for (std::size_t i = 1; i < 4; ++i) {
    CHECK(bench.sent[i].time == nanoseconds(1'000 + 1'000 + 2 * 400));  // two more of the batch
    CHECK(as<WorkRequest>(bench.sent[i].payload).address.to().value == 7);
  }
  bench.wake();
  CHECK(as<WorkRequest>(bench.sent[4].payload).address.from().value == 5);
  bench.wake();
  CHECK(as<WorkRequest>(bench.sent[5].payload).address.to().value == 8);
  CHECK(bench.proxy.is_idle());
  CHECK(bench.wakes.size() == 3);
}

TEST_CASE("a part does not overtake a request that is left for the next batch") {
  Bench bench;  // three requests at once
  const auto post = [&](std::uint32_t from, std::uint32_t bytes, ProxyQueue::Share share) {
    Context context = bench.at(nanoseconds(10));
    bench.proxy.post(context, nanoseconds(10), {work(from, 7, bytes), EndpointId{7}, 1, share});
  };
  bench.post(SimTime{0}, 1, 2, 100);
  for (const std::uint32_t from : {1u, 3u, 4u, 5u}) post(from, from, ProxyQueue::Share::request);
  post(6, 6, ProxyQueue::Share::part);
  bench.wake();
  REQUIRE(bench.sent.size() == 4);
  bench.wake();
  REQUIRE(bench.sent.size() == 6);
  CHECK(as<WorkRequest>(bench.sent[4].payload).bytes == 5);
  CHECK(as<WorkRequest>(bench.sent[5].payload).bytes == 6);
}

TEST_CASE("a request is posted when its bytes are here, with others that are here by then") {
  Bench bench;
  bench.post(SimTime{0}, 1, 7, 10, nanoseconds(300));
  REQUIRE(bench.wakes.size() == 1);
  CHECK(bench.wakes[0].time == nanoseconds(300));
  bench.wake();
  REQUIRE(bench.sent.size() == 1);
  CHECK(bench.sent[0].time == nanoseconds(1'300));
  // Busy until 1,300 ns: one wake then, whatever comes meanwhile; the third is not here by then.
  bench.post(nanoseconds(400), 3, 7, 30, nanoseconds(500));
  bench.post(nanoseconds(500), 4, 7, 40);
  bench.post(nanoseconds(600), 5, 7, 50, nanoseconds(900));
  REQUIRE(bench.wakes.size() == 2);
  CHECK(bench.wakes[1].time == nanoseconds(1'300));
  bench.wake();
  REQUIRE(bench.sent.size() == 3);
  CHECK(as<WorkRequest>(bench.sent[1].payload).address.from().value == 4);  // here first
  CHECK(as<WorkRequest>(bench.sent[2].payload).address.from().value == 3);
  CHECK(bench.sent[2].time == nanoseconds(1'300 + 1'000 + 400));
  CHECK(bench.wakes.back().time == nanoseconds(2'700));
  bench.wake();
  CHECK(bench.sent[3].time == nanoseconds(3'700));
  CHECK(bench.proxy.is_idle());
}

TEST_CASE("requests that wait on one connection grow into one") {
  Bench bench;
  bench.post(SimTime{0}, 1, 2, 100);
  for (int i = 0; i < 5; ++i) bench.post(nanoseconds(10), 3, 7, 1'000);
  bench.wake();
  REQUIRE(bench.sent.size() == 2);
  CHECK(as<WorkRequest>(bench.sent[0].payload).is_grown == 0);
  CHECK(as<WorkRequest>(bench.sent[1].payload).bytes == 5'000);
  CHECK(as<WorkRequest>(bench.sent[1].payload).is_grown == 1);
  CHECK(bench.proxy.is_idle());
}

TEST_CASE("parts of a request take no time of the proxy thread and go with it, each to its NIC") {
  Bench bench;
  bench.ports.resize(3, OutLink{SimTime{0}, LinkId{2}, ComponentId{1}});
  Context context = bench.at(SimTime{0});
  const auto request = [](std::uint32_t from, PortIndex nic, ProxyQueue::Share share) {
    return ProxyQueue::Request{work(from, 7, 100), EndpointId{7}, nic, share};
  };
  bench.proxy.post(context, SimTime{0}, request(1, 1, ProxyQueue::Share::request));
  for (std::uint32_t from : {2u, 3u}) {
    bench.proxy.post(context, SimTime{0}, request(10 * from, 1, ProxyQueue::Share::request));
    bench.proxy.post(context, SimTime{0}, request(10 * from + 1, 2, ProxyQueue::Share::part));
  }
  bench.wake();
  REQUIRE(bench.sent.size() == 5);
  for (std::size_t i = 1; i < 5; ++i) CHECK(bench.sent[i].time == nanoseconds(1'000 + 1'000 + 400));
  CHECK(bench.sent[2].link == LinkId{2});
  CHECK(bench.proxy.is_idle());
}

TEST_CASE("requests that are thrown away are posted no more, and their bytes are told") {
  Bench bench;
  bench.post(SimTime{0}, 1, 2, 100);
  bench.post(SimTime{0}, 1, 3, 20);
  bench.post(SimTime{0}, 1, 4, 3, nanoseconds(500));  // not ready yet
  CHECK(bench.sent.size() == 1);
  CHECK(bench.proxy.drop_all() == 23);
  bench.wake();
  CHECK(bench.sent.size() == 1);
  CHECK(bench.proxy.drop_all() == 0);
}

}  // namespace lightrail
