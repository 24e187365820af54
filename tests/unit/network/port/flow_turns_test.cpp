#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "engine/model/state_io.hpp"
#include "network/port/flow_turns.hpp"

using namespace lightrail;

namespace {

constexpr std::uint32_t mtu = 4096;

/// One ring whose line is never free; the token of a flow's message is its key.
struct Line {
  explicit Line(std::uint32_t packets)
      : train(packets * mtu), turns(1, packets == 1 ? 1 : 0, packets * mtu) {}

  void add(std::uint64_t key, std::int64_t bytes) {
    left[key] = bytes;
    turns.add(0, {.head = {.bytes = train}, .left = bytes, .token = key});
  }
  /// Sends one train; returns the flow that sent it.
  std::uint64_t send() {
    const std::uint64_t key = turns.first_message(0).token;
    const auto bytes = static_cast<std::uint32_t>(std::min<std::int64_t>(left[key], train));
    sent += bytes;
    if ((left[key] -= bytes) > 0) {
      turns.sent(0, bytes, left[key], train);
    } else {
      turns.remove_first(0);
      ended[key] = sent;
    }
    return key;
  }
  std::vector<std::uint64_t> send(int trains) {
    std::vector<std::uint64_t> order;
    for (int i = 0; i < trains; ++i) order.push_back(send());
    return order;
  }
  void send_all() {
    while (!turns.is_empty(0)) send();
  }

  std::uint32_t train;
  FlowTurns turns;
  std::int64_t sent = 0;                        ///< [B]
  std::map<std::uint64_t, std::int64_t> left;   ///< by flow [B]
  std::map<std::uint64_t, std::int64_t> ended;  ///< when, in bytes that the line has sent
};

using Order = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("single packets take turns as they stand, and a new flow comes behind all others") {
  Line line(1);
  for (std::uint64_t key : {1, 2, 3}) line.add(key, std::int64_t{10} * mtu);
  CHECK(line.send(4) == Order{1, 2, 3, 1});
  line.add(4, mtu);
  line.add(5, mtu / 2);
  CHECK(line.send(6) == Order{2, 3, 1, 4, 5, 2});
}

TEST_CASE("equal flows send trains in turns") {
  Line line(12);
  for (std::uint64_t key : {1, 2, 3}) line.add(key, std::int64_t{100} * mtu);
  CHECK(line.send(7) == Order{1, 2, 3, 1, 2, 3, 1});
}

TEST_CASE("a short message is sent when packets in turns would have ended it") {
  // Of 8 flows one has 3 packets: turns of single packets end it after 3 rounds of 8.
  Line line(12);
  for (std::uint64_t key = 1; key <= 7; ++key) line.add(key, std::int64_t{120} * mtu);
  line.add(8, std::int64_t{3} * mtu);
  CHECK(line.send(1) == Order{8});
}

TEST_CASE("a flow that joins begins at the mean of the others: it neither catches up nor waits") {
  Line line(12);
  for (std::uint64_t key : {1, 2}) line.add(key, std::int64_t{1200} * mtu);
  line.send(40);
  line.add(3, std::int64_t{1200} * mtu);
  std::map<std::uint64_t, int> trains;
  for (std::uint64_t key : line.send(30)) ++trains[key];
  for (std::uint64_t key : {1, 2, 3}) CHECK(std::abs(trains[key] - 10) <= 1);
}

TEST_CASE("messages end with trains when they end with packets, on average and within half a round") {
  // 32 flows of 20 to 500 packets (numbers of a linear congruential generator), which join one after the
  // other.
  const auto run = [](std::uint32_t packets) {
    Line line(packets);
    std::uint32_t draw = 7;
    for (std::uint64_t key = 0; key < 32; ++key) {
      draw = draw * 1664525 + 1013904223;
      line.add(key, std::int64_t{20 + (draw >> 8) % 481} * mtu - draw % mtu);
      for (const std::int64_t until = line.sent + std::int64_t{12} * mtu; line.sent < until;) line.send();
    }
    line.send_all();
    return line.ended;
  };
  const auto exact = run(1), trains = run(12);
  REQUIRE(exact.size() == 32);
  double sum = 0, worst = 0;
  for (const auto& [key, at] : exact) {
    const double error = static_cast<double>(trains.at(key) - at) / mtu;
    sum += error;
    worst = std::max(worst, std::abs(error));
  }
  CHECK(std::abs(sum / 32) < 12);  // [packets]
  CHECK(worst < 192);              // half a round: 32 flows of 12 packets
}

TEST_CASE("a flow that passes loses one turn and no more") {
  for (std::uint32_t packets : {1, 12}) {
    Line line(packets);
    for (std::uint64_t key : {1, 2, 3}) line.add(key, std::int64_t{1200} * mtu);
    line.turns.pass(0, line.left[1]);
    CHECK(line.send(5) == Order{2, 3, 1, 2, 3});
  }
}

TEST_CASE("turns go on the same after a checkpoint") {
  for (std::uint32_t packets : {1, 12}) {
    Line line(packets), again(packets);
    for (std::uint64_t key = 1; key <= 9; ++key) line.add(key, static_cast<std::int64_t>(key) * 37 * mtu);
    line.send(20);
    StateWriter out;
    line.turns.save(out);
    StateReader in(out.bytes());
    again.turns.load(in);
    again.left = line.left;
    for (std::uint64_t key = 10; key <= 12; ++key) line.add(key, mtu * 50), again.add(key, mtu * 50);
    CHECK(line.send(60) == again.send(60));
  }
}
