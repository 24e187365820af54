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
  explicit Line(std::uint32_t packets) : Line(packets, packets == 1) {}
  Line(std::uint32_t packets, bool is_plain)
      : train(packets * mtu), turns(1, is_plain ? 1 : 0, packets * mtu) {}

  void add(std::uint64_t key, std::int64_t bytes) { add(key, bytes, train); }
  /// Its trains are of `longest` bytes at most.
  void add(std::uint64_t key, std::int64_t bytes, std::uint32_t longest) {
    left[key] = bytes;
    turns.add(0, {.head = {.bytes = longest}, .left = bytes, .token = key});
  }
  /// Sends one train; returns the flow that sent it.
  std::uint64_t send() {
    const std::uint64_t key = turns.first_message(0).token;
    const std::uint32_t longest = turns.count(0) > 1 ? turns.first_message(0).head.bytes : train;
    const auto bytes = static_cast<std::uint32_t>(std::min<std::int64_t>(left[key], longest));
    sent += bytes;
    share[key] += bytes;
    if ((left[key] -= bytes) > 0) {
      turns.sent(0, bytes, left[key], longest);
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

  /// Goes on from a checkpoint of `other`.
  void resume(const Line& other) {
    StateWriter out;
    other.turns.save(out);
    StateReader in(out.bytes());
    turns.load(in);
    left = other.left;
  }

  std::uint32_t train;
  FlowTurns turns;
  std::int64_t sent = 0;                        ///< [B]
  std::map<std::uint64_t, std::int64_t> share;  ///< by flow, what it sent [B]
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

TEST_CASE("flows with trains of many lengths have equal shares of a plain ring, as their packets would") {
  const std::vector<std::uint32_t> packets{1, 2, 3, 5, 8, 12, 30};
  Line line(30, true);
  for (std::uint64_t key = 0; key < packets.size(); ++key)
    line.add(key, std::int64_t{1'000'000} * mtu, packets[key] * mtu);
  for (int round = 0; round < 500; ++round) {
    line.send(10);
    const std::int64_t mean = line.sent / static_cast<std::int64_t>(packets.size());
    for (const auto& [key, bytes] : line.share) CHECK(std::abs(bytes - mean) <= std::int64_t{30} * mtu);
  }
}

TEST_CASE("messages in an eighth of their trains end on a plain ring nearly as in packets") {
  // 7 of 200 to 2,000 packets (numbers of a linear congruential generator), at once: with turns that do not
  // count bytes the small ones end half as late again.
  const auto run = [](std::uint32_t most, std::uint32_t draw) {
    Line line(most, true);
    for (std::uint64_t key = 0; key < 7; ++key) {
      draw = draw * 1664525 + 1013904223;
      const std::uint32_t packets = 200 + (draw >> 8) % 1801;
      line.add(key, std::int64_t{packets} * mtu, std::min(packets / 8, most) * mtu);
    }
    line.send_all();
    return line.ended;
  };
  double late = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const auto exact = run(1, seed), trains = run(250, seed);
    for (const auto& [key, at] : exact)
      late += static_cast<double>(trains.at(key)) / static_cast<double>(at) - 1;
  }
  CHECK(std::abs(late / (20 * 7)) < 0.1);
}

TEST_CASE("trains of one length take turns as they stand, also where tails are short") {
  Line line(30, true);
  for (std::uint64_t key : {1, 2, 3}) line.add(key, std::int64_t{10} * mtu + 5, 3 * mtu);
  CHECK(line.send(12) == Order{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
}

TEST_CASE("long trains that are left on a plain ring go on in turns when the short ones are gone") {
  Line line(64, true);
  line.add(1, std::int64_t{6400} * mtu, 64 * mtu);
  line.add(2, std::int64_t{6400} * mtu, 64 * mtu);
  line.add(3, std::int64_t{3} * mtu, mtu);
  CHECK(line.send(5) == Order{1, 2, 3, 3, 3});
  std::map<std::uint64_t, int> trains;
  for (std::uint64_t key : line.send(20)) ++trains[key];
  CHECK(trains[1] == 10);
  CHECK(trains[2] == 10);
}

// A comes to owe for what one short train sends beside it; B's trains end before they owe anything.
TEST_CASE("what is owed is paid in trains of those that are there, not of one that has gone") {
  Line line(30, true);
  line.add(1, std::int64_t{3'000} * mtu, 30 * mtu);
  line.add(2, mtu, mtu);
  CHECK(line.send(2) == Order{1, 2});
  std::map<std::uint64_t, int> trains;
  line.add(3, std::int64_t{30} * mtu, 30 * mtu);
  for (std::uint64_t key = 4; key < 100; ++key) {
    line.add(key, std::int64_t{30} * mtu, 30 * mtu);
    ++trains[line.send()];
  }
  // In turns: there is one flow more whenever A has sent, so 96 trains are 1 + 2 + ... + 13.
  CHECK(trains[1] >= 11);
}

TEST_CASE("a short flow that leaves lets long ones pay their debts at once") {
  Line line(64, true);
  for (std::uint64_t key : {1, 2}) line.add(key, std::int64_t{64'000} * mtu, 64 * mtu);
  for (std::uint64_t key = 10; key < 40; ++key) {
    line.add(key, mtu, mtu);
    line.add(key + 100, std::int64_t{64} * mtu, 64 * mtu);
    line.send(6);
  }
  CHECK(std::abs(line.share[1] - line.share[2]) <= std::int64_t{64} * mtu);
  CHECK(line.share[1] > std::int64_t{64 * 20} * mtu);
}

TEST_CASE("a flow that is left alone owes nothing to those that come later") {
  Line line(64, true);
  line.add(1, std::int64_t{6400} * mtu, 64 * mtu);
  line.add(2, std::int64_t{2} * mtu, mtu);
  CHECK(line.send(3) == Order{1, 2, 2});
  line.add(3, std::int64_t{6400} * mtu, 64 * mtu);
  CHECK(line.send(4) == Order{1, 3, 1, 3});
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

TEST_CASE("what flows owe goes on the same after a checkpoint") {
  Line line(30, true), again(30, true);
  for (std::uint64_t key = 1; key <= 9; ++key)
    line.add(key, std::int64_t{400} * mtu, static_cast<std::uint32_t>(key * 3) * mtu);
  line.send(20);
  again.resume(line);
  CHECK(line.send(200) == again.send(200));
}

TEST_CASE("turns go on the same after a checkpoint") {
  for (std::uint32_t packets : {1, 12}) {
    Line line(packets), again(packets);
    for (std::uint64_t key = 1; key <= 9; ++key) line.add(key, static_cast<std::int64_t>(key) * 37 * mtu);
    line.send(20);
    again.resume(line);
    for (std::uint64_t key = 10; key <= 12; ++key) line.add(key, mtu * 50), again.add(key, mtu * 50);
    CHECK(line.send(60) == again.send(60));
  }
}
