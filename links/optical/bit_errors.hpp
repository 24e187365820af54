#pragma once
#include "engine/base/quantity.hpp"

namespace lightrail {

/// Pre-FEC bit error rate at which a receiver's sensitivity is specified: IEEE 802.3 for PAM4 lanes with
/// RS(544,514).
inline constexpr double threshold_bit_error_rate = 2.4e-4;

/// How far the levels of a PAM4 receiver lie from its thresholds, in standard deviations of its noise, with
/// `margin` above the sensitivity. Assumes thermal noise, so that the distance grows with the power (OMA).
[[nodiscard]] double pam4_distance(Decibel margin);

/// Bit error rate of Gray-coded PAM4 at that distance: 3/8 erfc(Q / sqrt 2).
[[nodiscard]] double pam4_bit_error_rate(double distance);

/// Bit error rate before FEC with `margin` above the sensitivity.
[[nodiscard]] double pre_fec_bit_error_rate(Decibel margin);

/// Probability that RS(544,514) over GF(2^10) cannot correct a codeword: more than 15 of 544 symbols wrong.
/// Bit errors come one by one, independent of each other, or with `burst_bits` > 1 in independent bursts of
/// that mean length; a burst of b bits touches 1 + (b - 1) / 10 symbols in the mean, here the whole number
/// below or above.
[[nodiscard]] double codeword_failure(double bit_error_rate, double burst_bits = 1);

}  // namespace lightrail
