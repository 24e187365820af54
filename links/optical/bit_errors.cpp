#include "links/optical/bit_errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lightrail {
namespace {

constexpr int symbols = 544, correctable = 15, symbol_bits = 10;

/// The distance at which the bit error rate is the threshold, by bisection.
double threshold_distance() {
  double low = 0, high = 10;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (pam4_bit_error_rate(middle) > threshold_bit_error_rate ? low : high) = middle;
  }
  return low;
}

}  // namespace

double pam4_bit_error_rate(double distance) {
  return 3.0 / 8.0 * std::erfc(distance / std::sqrt(2.0));
}

double pam4_distance(Decibel margin) {
  static const double at_threshold = threshold_distance();
  return at_threshold * std::pow(10.0, margin.value / 10);
}

double pre_fec_bit_error_rate(Decibel margin) {
  return pam4_bit_error_rate(pam4_distance(margin));
}

double codeword_failure(double bit_error_rate, double burst_bits) {
  const double bursts = bit_error_rate / burst_bits;
  const double start = -std::expm1(symbol_bits * std::log1p(-bursts));  // a burst starts in a symbol
  const double touched = 1 + (burst_bits - 1) / symbol_bits;
  const int few = static_cast<int>(touched);
  const double chance_of_more = touched - few;
  // Wrong symbols so far, those beyond the correctable ones in the last place. Only positive terms are added,
  // so tiny probabilities keep their digits.
  std::array<double, correctable + 2> chance{1};
  for (int symbol = 0; symbol < symbols; ++symbol) {
    std::array<double, correctable + 2> next{};
    for (int wrong = 0; wrong <= correctable + 1; ++wrong) {
      const double here = chance[wrong];
      const auto reach = [&](int more) { return std::min(wrong + more, correctable + 1); };
      next[wrong] += here * (1 - start);
      next[reach(few)] += here * start * (1 - chance_of_more);
      next[reach(few + 1)] += here * start * chance_of_more;
    }
    chance = next;
  }
  return chance[correctable + 1];
}

}  // namespace lightrail
