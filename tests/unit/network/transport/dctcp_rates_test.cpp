// DCTCP against its equations, step by step, and in steady state at a queue that marks from a length on.
#include "network/transport/dctcp_rates.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

#include "tests/support/answered_flow.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr BitRate line{100'000'000'000};
constexpr std::int64_t one = 1 << 20;

struct Sender {
  DctcpSpec spec;
  RepairSender sender{{}, 1, "nic0"};
  DctcpRates rates;
  AnsweredFlow flow;

  explicit Sender(DctcpSpec own = {}) : spec(own), rates(spec, line, sender) {}
  void send(int packets) {
    for (int i = 0; i < packets; ++i) flow.send(sender, rates, SimTime{});
  }
  void hear(int packets, bool is_marked) {
    for (int i = 0; i < packets; ++i) flow.acknowledge(sender, rates, 1, is_marked, {}, SimTime{});
  }
  [[nodiscard]] double estimate() const { return static_cast<double>(rates.estimate_of(flow.key())) / one; }
  [[nodiscard]] std::int64_t rate() const { return rates.rate_of(flow.key()).value; }
};

/// Senders with windows at one queue that is served a packet a slot and marks what finds more than
/// `threshold` packets; acknowledgements are back `delay` slots after a packet is served.
struct StepQueue {
  static constexpr std::uint32_t packet = 1000;  ///< [B]; a slot at 100 Gb/s is 80 ns
  static constexpr SimTime slot = nanoseconds(80);

  DctcpSpec spec;
  RepairSender sender{{}, 1, "nic0"};
  DctcpRates rates;
  std::vector<AnsweredFlow> flows;
  std::vector<std::int64_t> served;
  std::int64_t threshold, delay;
  struct Waiting {
    std::size_t flow;
    bool is_marked;
  };
  struct Answer {
    std::int64_t at;
    Waiting packet;
  };
  std::deque<Waiting> queue;
  std::deque<Answer> answers;
  std::int64_t now = 0;

  /// The senders' line is `faster` times the queue's, so that its rate is no limit.
  StepQueue(std::uint32_t count, std::int64_t k, std::int64_t round_trip, std::int64_t faster, DctcpSpec own)
      : spec(own), rates(spec, BitRate{line.value * faster}, sender), threshold(k), delay(round_trip) {
    for (std::uint32_t i = 0; i < count; ++i) flows.push_back({.number = i});
    served.resize(count);
  }
  void send_all() {
    for (bool sends = true; sends;) {
      sends = false;
      for (std::size_t i = 0; i < flows.size(); ++i) {
        const SimTime at = std::max(rates.next_start(flows[i].key(), now * slot), now * slot);
        if (at >= (now + 1) * slot) continue;
        flows[i].send(sender, rates, at);
        queue.push_back({i, static_cast<std::int64_t>(queue.size()) > threshold});
        sends = true;
      }
    }
  }
  void run(std::int64_t slots, std::vector<double>* estimates = nullptr) {
    for (const std::int64_t end = now + slots; now < end; ++now) {
      while (!answers.empty() && answers.front().at <= now) {
        const Waiting& one_of = answers.front().packet;
        flows[one_of.flow].acknowledge(sender, rates, 1, one_of.is_marked, {}, now * slot);
        answers.pop_front();
      }
      send_all();
      if (estimates) estimates->push_back(static_cast<double>(rates.estimate_of(flows[0].key())) / one);
      if (queue.empty()) continue;
      ++served[queue.front().flow];
      answers.push_back({now + delay, queue.front()});
      queue.pop_front();
    }
  }
};

}  // namespace

TEST_CASE("the first round trip begins with the first acknowledgement; its marks are the first estimate") {
  // 1 + 4 packets on the way at the first answer; the estimate changes with the one behind these.
  Sender one_flow({.gain = 0.5, .additive = BitRate{1'000'000'000}});
  one_flow.send(5);
  one_flow.hear(1, false);
  CHECK(one_flow.estimate() == 1);
  one_flow.send(1);
  one_flow.hear(4, false);
  CHECK(one_flow.estimate() == 1);
  one_flow.hear(1, false);  // no mark of six packets
  CHECK(one_flow.estimate() == 0.5);
}

TEST_CASE("an estimate takes g of the share of marked bytes of each round trip") {
  // A round trip is seven packets on the way when it begins and one behind them, which ends it.
  Sender one_flow({.gain = 0.25, .additive = BitRate{0}, .least = BitRate{1000}});
  one_flow.send(1);
  one_flow.hear(1, false);
  one_flow.send(8);
  one_flow.hear(1, false);  // no mark of two
  double expected = 0.75;
  CHECK(one_flow.estimate() == expected);
  for (const int marked : {0, 3, 7, 1, 0}) {
    one_flow.hear(7 - marked, false);
    one_flow.hear(marked, true);
    one_flow.send(8);
    one_flow.hear(1, false);
    expected += 0.25 * (marked / 8.0 - expected);
    CHECK(one_flow.estimate() == Approx(expected).margin(1e-5));
  }
}

TEST_CASE("a mark cuts by half of the estimate, once until what is on the way then is there") {
  Sender one_flow({.gain = 1.0 / 16, .additive = BitRate{615'000'000}});
  one_flow.send(5);
  one_flow.hear(1, true);  // the first mark: the estimate is 1
  CHECK(one_flow.rate() == line.value / 2);
  one_flow.send(3);
  one_flow.hear(4, true);  // they were on the way
  CHECK(one_flow.rate() == line.value / 2);
  // The one behind them ends the round trip, all of whose packets were marked.
  one_flow.hear(1, true);
  CHECK(one_flow.estimate() == 1);
  CHECK(one_flow.rate() == line.value / 4);
}

TEST_CASE("a round trip without a cut adds a step, up to the line's rate") {
  Sender one_flow;
  one_flow.send(2);
  one_flow.hear(1, true);
  const std::int64_t low = one_flow.rate();
  CHECK(low == line.value / 2);
  one_flow.hear(1, false);  // what was on the way
  one_flow.send(1);
  one_flow.hear(1, false);  // behind it: a round trip has ended, and the cut is over
  CHECK(one_flow.rate() == low + 615'000'000);
  for (int i = 0; i < 200; ++i) {
    one_flow.send(1);
    one_flow.hear(1, false);
  }
  CHECK(one_flow.rate() == line.value);
}

TEST_CASE("the estimate of one flow at a step is about sqrt(2 / W), with W packets at the step") {
  // DCTCP (SIGCOMM 2010), equation 7: a^2 (1 - a / 4) = (2 W + 1) / (W + 1)^2, W = C RTT + K, where a round
  // trip adds a packet to the window: here the rate's step times the round trip of the window.
  for (const std::int64_t delay : {60, 150, 300}) {
    const std::int64_t k = delay / 4;  // above a seventh of C RTT the queue never runs dry
    constexpr std::int64_t faster = 8;
    const SimTime round_trip = delay * StepQueue::slot;
    const auto step =
        static_cast<std::int64_t>(8e12 * StepQueue::packet / static_cast<double>(round_trip.count()));
    StepQueue bed(
        1, k, delay, faster,
        {.gain = 1.0 / 16, .additive = BitRate{step}, .least = BitRate{1'000'000}, .round_trip = round_trip});
    bed.run(1000 * delay);
    std::vector<double> estimates;
    const std::int64_t before = bed.served[0];
    bed.run(1000 * delay, &estimates);
    double mean = 0;
    for (const double value : estimates) mean += value / static_cast<double>(estimates.size());
    const auto w = static_cast<double>(delay + k);
    double a = std::sqrt(2 / w);
    for (int i = 0; i < 50; ++i) a = std::sqrt((2 * w + 1) / ((w + 1) * (w + 1)) / (1 - a / 4));
    INFO(delay << " slots: " << mean << ", equation " << a);
    CHECK(mean == Approx(a).epsilon(0.2));
    CHECK(bed.served[0] - before == 1000 * delay);  // the line is never idle
  }
}

TEST_CASE("n flows share a line fairly and keep it full") {
  for (const std::uint32_t n : {2u, 4u, 8u}) {
    const std::int64_t delay = 153;
    StepQueue bed(n, 60, delay, 1, {.round_trip = delay * StepQueue::slot});
    bed.run(3000 * delay);
    const std::vector<std::int64_t> before = bed.served;
    bed.run(6000 * delay);
    std::int64_t all = 0;
    for (std::size_t i = 0; i < n; ++i) all += bed.served[i] - before[i];
    CHECK(all == 6000 * delay);
    for (std::size_t i = 0; i < n; ++i) {
      INFO(n << " flows, flow " << i);
      CHECK(static_cast<double>(bed.served[i] - before[i]) ==
            Approx(static_cast<double>(all) / n).epsilon(0.15));
    }
  }
}

TEST_CASE("a packet whose payload was cut off counts as marked") {
  Sender one_flow;
  one_flow.send(2);
  one_flow.rates.trimmed(one_flow.flow.key(), 1000, SimTime{});
  CHECK(one_flow.rate() == line.value / 2);
  one_flow.rates.trimmed(one_flow.flow.key() + 1, 1000, SimTime{});  // of a flow that sent nothing
}

TEST_CASE("rates and estimates of DCTCP are part of the state") {
  Sender own, other;
  own.send(3);
  own.hear(1, true);
  StateWriter out;
  own.rates.save(out);
  StateReader in(out.bytes());
  other.rates.load(in);
  CHECK(in.is_at_end());
  CHECK(other.rates.rate_of(own.flow.key()) == own.rates.rate_of(own.flow.key()));
  CHECK(other.rates.estimate_of(own.flow.key()) == own.rates.estimate_of(own.flow.key()));
}
