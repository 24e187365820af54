#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/training/gate.hpp"

using namespace lightrail;

namespace {

Gate random_gate(std::minstd_rand& random) {
  Gate gate;
  gate.rows = static_cast<std::uint32_t>(2 + random() % 7);
  gate.size = gate.rows * static_cast<std::uint32_t>(1 + random() % 3);
  for (std::uint32_t i = 0; i < gate.rows * gate.rows; ++i)
    gate.tokens.push_back(static_cast<std::int64_t>(1 + random() % 9000));
  gate.rotates = random() % 2 == 0;
  gate.skew = 0.5 * static_cast<double>(1 + random() % 4);
  gate.drift = 0.25 * static_cast<double>(random() % 9);
  return gate;
}

/// What one sender sends to the members of each row, the first of `n`.
std::vector<double> row_of(const GateShares& shares, std::uint32_t from) {
  const std::size_t n = shares.dropped.size();
  return {shares.share.begin() + static_cast<std::ptrdiff_t>(from * n),
          shares.share.begin() + static_cast<std::ptrdiff_t>((from + 1) * n)};
}

}  // namespace

TEST_CASE(
    "whatever drifts, is skewed, rotated or dropped: every sender's shares add up to all of its tokens") {
  std::minstd_rand random(43);
  bool some_dropped = false;
  for (int k = 0; k < 200; ++k) {
    const Gate gate = random_gate(random);
    const double most = random() % 2 ? 1 : 0.2;
    for (std::int64_t micro_batch : {0, 1, 2, 7, 1000}) {
      const GateShares shares = gate_shares(gate, k % 5, micro_batch, most);
      double kept = 0;
      for (std::uint32_t from = 0; from < gate.size; ++from) {
        const std::vector<double> row = row_of(shares, from);
        CAPTURE(k, micro_batch, from);
        for (const double share : row) CHECK((share >= 0 && share <= most + 1e-12));
        const double sum = std::accumulate(row.begin(), row.end(), 0.0);
        CHECK(sum + shares.dropped[from] == Approx(1).epsilon(1e-12));
        kept += sum;
        some_dropped = some_dropped || shares.dropped[from] > 0;
      }
      CHECK(shares.kept == Approx(kept).epsilon(1e-12));
      const std::vector<double> received = shares.received();
      CHECK(std::accumulate(received.begin(), received.end(), 0.0) == Approx(kept).epsilon(1e-12));
    }
  }
  CHECK(some_dropped);
}

TEST_CASE(
    "a drift moves every sender's shares on by so many rows in each micro-batch, parts of a row in "
    "proportion") {
  std::minstd_rand random(47);
  int moved = 0;
  for (int k = 0; k < 100; ++k) {
    Gate gate = random_gate(random);
    const std::uint32_t neighbours = gate.size / gate.rows;
    for (std::int64_t micro_batch = 0; micro_batch < 9; ++micro_batch) {
      const GateShares now = gate_shares(gate, 2, micro_batch, 1);
      const double rows = gate.drift * static_cast<double>(micro_batch), part = rows - std::floor(rows);
      Gate still = gate;
      still.drift = 0;
      const GateShares first = gate_shares(still, 2, 0, 1);
      CHECK(gate_shares(still, 2, micro_batch, 1).share == first.share);  // without drift nothing moves
      CHECK(gate_shares(gate, 2, micro_batch, 1).share == now.share);     // and the same is made every time
      const auto shift = static_cast<std::uint32_t>(rows) * neighbours;
      double most = 0;
      for (std::uint32_t from = 0; from < gate.size; ++from) {
        const std::vector<double> before = row_of(first, from), after = row_of(now, from);
        for (std::uint32_t to = 0; to < gate.size; ++to) {
          const double expected =
              before[(to + gate.size * (shift / gate.size + 1) - shift) % gate.size] * (1 - part) +
              before[(to + gate.size * (shift / gate.size + 2) - shift - neighbours) % gate.size] * part;
          CHECK(after[to] == Approx(expected).margin(1e-12));
          most = std::max(most, std::abs(after[to] - before[to]));
        }
      }
      moved += most > 0.01;
    }
  }
  CHECK(moved > 300);
}

TEST_CASE(
    "a forced balance draws every copy's expert: even in the mean, a binomial's spread, drops beyond a "
    "capacity") {
  // 64 senders of 4,096 tokens to 8 of 128 experts each: 256 copies an expert and sender, deviation 16.
  Gate gate;
  gate.rows = gate.size = 64, gate.experts = 128, gate.drawn_copies = 4096 * 8;
  CHECK_FALSE(gate.is_even());
  const GateShares all = gate_shares(gate, 3, 0, 1);
  CHECK(all.kept == Approx(64));
  double squares = 0;
  for (std::uint32_t from = 0; from < 64; ++from) {
    double sent = 0;
    for (std::uint32_t to = 0; to < 64; ++to) {
      const double share = all.share[from * 64 + to];
      sent += share, squares += (share - 1.0 / 64) * (share - 1.0 / 64);
    }
    CHECK(sent == Approx(1));
    CHECK(all.dropped[from] == 0);
  }
  // Of a member's two experts: p (1 - p) / n.
  CHECK(squares / (64 * 64) == Approx(1.0 / 64 * (1 - 1.0 / 64) / (4096 * 8)).epsilon(0.1));
  // A capacity of the average drops the mean of a normal's positive half: deviation / sqrt(2 pi).
  gate.expert_capacity = 256;
  const GateShares some = gate_shares(gate, 3, 0, 1);
  double dropped = 0;
  for (double d : some.dropped) dropped += d / 64;
  CHECK(dropped == Approx(16 / std::sqrt(2 * 3.14159265) / 256).epsilon(0.1));
  CHECK(some.kept / 64 == Approx(1 - dropped));
  // Layers and seeds have draws of their own; a micro-batch has not.
  CHECK(gate_shares(gate, 3, 7, 1).share == some.share);
  CHECK(gate_shares(gate, 4, 0, 1).share != some.share);
  gate.seed = 2;
  CHECK(gate_shares(gate, 3, 0, 1).share != some.share);
}

TEST_CASE(
    "a plan with a forced balance sends unevenly, drops beyond its capacity factor and pads to all of it") {
  const auto job = [](const std::string& more) {
    MadeJob made = gated_training("", "expert-balance=\"forced\" " + more);
    REQUIRE(made.errors == std::vector<std::string>{});
    return std::move(made.job);
  };
  const auto dispatched = [](const Job& made) {
    for (const Op& op : made.programs.programs[0].ops)
      if (op.collective == CollectiveType::all_to_all) return op;
    FAIL("no all-to-all");
    return Op{};
  };
  const Job all = job(""), capped = job("capacity-factor=\"1\""),
            padded = job("capacity-factor=\"1\" pad-to-capacity=\"on\"");
  CHECK(dispatched(all).split != 0);
  // 64 tokens to 2 of 4 experts: 32 copies an expert and sender at most.
  const SplitMatrix& split = capped.programs.splits[dispatched(capped).split];
  for (std::uint32_t from = 0; from < 2; ++from) CHECK(split.share[from * 2 + (1 - from)] <= 0.5);
  CHECK(dispatched(padded).split == 0);
  CHECK(dispatched(padded).bytes == dispatched(capped).bytes);
}
