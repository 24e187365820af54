#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

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
