#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

#include "workloads/generate/training/load_predictor.hpp"

using namespace lightrail;

namespace {

constexpr std::uint32_t n = 4;

/// Rows of `senders` shares, moved on by `shift` columns.
std::vector<double> rows(std::uint32_t shift) {
  const std::vector<double> shares{0.6, 0.25, 0.1, 0.05};
  std::vector<double> all(n * n);
  for (std::uint32_t sender = 0; sender < n; ++sender)
    for (std::uint32_t to = 0; to < n; ++to) all[sender * n + (to + shift) % n] = shares[to];
  return all;
}

}  // namespace

TEST_CASE("a load seen once is expected again") {
  LoadPredictor predictor;
  CHECK_FALSE(predictor.has_learned());
  predictor.learn(n, rows(0), rows(1));
  const std::vector<double> guess = predictor.guess(rows(2));
  for (std::size_t i = 0; i < guess.size(); ++i) CHECK(guess[i] == Approx(rows(1)[i]).margin(1e-6));
}

TEST_CASE("a load that moves on in step with the layer before is expected where it goes, not where it was") {
  // Micro-batch m: the layer before has its load at m, this one at m + 1.
  LoadPredictor predictor;
  for (std::uint32_t m = 0; m < n; ++m) predictor.learn(n, rows(m), rows(m + 1));
  const double learned = distance(n, predictor.guess(rows(4)), rows(5)), past = distance(n, rows(4), rows(5));
  CHECK(past == Approx(0.55));  // (0.35 + 0.15 + 0.05 + 0.55) / 2
  CHECK(learned < 0.05);
}

TEST_CASE("a guess gives every sender all of its tokens") {
  LoadPredictor predictor;
  predictor.learn(n, rows(0), rows(3));
  predictor.learn(n, rows(1), rows(0));
  const std::vector<double> guess = predictor.guess(rows(2));
  for (std::uint32_t sender = 0; sender < n; ++sender) {
    double sum = 0;
    for (std::uint32_t to = 0; to < n; ++to) sum += guess[sender * n + to];
    CHECK(sum == Approx(1));
  }
}

TEST_CASE("what is older than the window is forgotten") {
  LoadPredictor predictor;
  predictor.learn(n, rows(0), rows(2));
  for (std::size_t m = 0; m < LoadPredictor::window; ++m) predictor.learn(n, rows(0), rows(1));
  CHECK(distance(n, predictor.guess(rows(0)), rows(1)) < 0.02);
}

TEST_CASE("members that share rows and columns are guessed as the fewer, larger ones that they stand for") {
  // Each of the four members made three: a share of a third, the same transitions.
  constexpr std::uint32_t more = 3 * n;
  const auto spread = [&](const std::vector<double>& matrix) {
    std::vector<double> all(more * more);
    for (std::uint32_t a = 0; a < more; ++a)
      for (std::uint32_t b = 0; b < more; ++b) all[a * more + b] = matrix[a / 3 * n + b / 3] / 3;
    return all;
  };
  // Rows of different senders differ.
  const auto uneven = [&](std::uint32_t shift) {
    std::vector<double> all = rows(shift);
    for (std::uint32_t to = 0; to < n; ++to) all[to] = (all[to] + 0.25) / 2;
    return all;
  };
  LoadPredictor few, many;
  for (std::uint32_t m = 0; m < 6; ++m) {
    few.learn(n, uneven(m), uneven(m + 1));
    many.learn(more, spread(uneven(m)), spread(uneven(m + 1)));
  }
  const std::vector<double> expected = spread(few.guess(uneven(6))), guess = many.guess(spread(uneven(6)));
  for (std::size_t i = 0; i < guess.size(); ++i) CHECK(guess[i] == Approx(expected[i]).margin(1e-9));
}
