#include "links/optical/bit_errors.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <sstream>

using namespace lightrail;

TEST_CASE("at the sensitivity the bit error rate is KP4's threshold") {
  CHECK(pre_fec_bit_error_rate(Decibel{0}) == Approx(2.4e-4).epsilon(1e-9));
}

TEST_CASE("PAM4 errs as 3/8 erfc(Q / sqrt 2), and Q doubles with 3.01 dB of light") {
  CHECK(pam4_bit_error_rate(0) == Approx(3.0 / 8));
  CHECK(pam4_bit_error_rate(3) == Approx(3.0 / 8 * 2.699796e-3).epsilon(1e-6));  // twice the normal tail
  CHECK(pam4_distance(Decibel{10 * std::log10(2.0)}) == Approx(2 * pam4_distance(Decibel{0})));
}

TEST_CASE("margin, bit errors and codeword failures follow the table over the whole range") {
  std::ifstream file("tests/data/ber_vs_power_pam4_kp4.csv");
  REQUIRE(file);
  std::string line;
  std::getline(file, line);
  int rows = 0;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    double margin = 0, q = 0, ber = 0, failure = 0;
    char comma = 0;
    REQUIRE(cells >> margin >> comma >> q >> comma >> ber >> comma >> failure);
    INFO("margin " << margin << " dB");
    CHECK(pam4_distance(Decibel{margin}) == Approx(q).epsilon(1e-4));
    CHECK(pre_fec_bit_error_rate(Decibel{margin}) == Approx(ber).epsilon(5e-4));
    CHECK(codeword_failure(pre_fec_bit_error_rate(Decibel{margin})) == Approx(failure).epsilon(1e-3));
    ++rows;
  }
  CHECK(rows == 13);
}

TEST_CASE("a codeword fails as the tail of a binomial distribution says") {
  // P(more than 15 of 544 symbols), summed term by term.
  const double ber = 1e-3, symbol = 1 - std::pow(1 - ber, 10);
  double tail = 0;
  for (int k = 16; k <= 544; ++k)
    tail += std::exp(std::lgamma(545) - std::lgamma(k + 1) - std::lgamma(545 - k) + k * std::log(symbol) +
                     (544 - k) * std::log1p(-symbol));
  CHECK(codeword_failure(ber) == Approx(tail).epsilon(1e-9));
  CHECK(codeword_failure(0) == 0);
  CHECK(codeword_failure(0.5) == Approx(1));
}

TEST_CASE("bursts spoil more codewords at a small bit error rate") {
  // Few errors: sixteen symbols need fewer bursts than single errors.
  CHECK(codeword_failure(1e-4, 31) > 1e6 * codeword_failure(1e-4, 1));
  // 160 bits would be one burst that touches 16.9 symbols: any burst is a failure.
  const double start = 1 - std::pow(1 - 1e-6 / 160, 10);
  CHECK(codeword_failure(1e-6, 160) == Approx(1 - std::pow(1 - start, 544)).epsilon(1e-6));
}
