#include "engine/base/random.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

#include "engine/base/error.hpp"
#include "engine/base/hash.hpp"
#include "engine/base/wide.hpp"

namespace lightrail {
namespace {

double unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace

Random::Random(std::uint64_t seed, ComponentId component, std::uint32_t purpose)
    : key_(hash_combine(hash_combine(mix64(seed), component.value), purpose)) {}

std::array<std::uint64_t, 2> Random::next_block() {
  using Generator = r123::Philox4x32_R<10>;
  const Generator::ctr_type counter{
      {static_cast<std::uint32_t>(draw_), static_cast<std::uint32_t>(draw_ >> 32), 0, 0}};
  const Generator::key_type key{{static_cast<std::uint32_t>(key_), static_cast<std::uint32_t>(key_ >> 32)}};
  ++draw_;
  const Generator::ctr_type block = Generator{}(counter, key);
  return {std::uint64_t{block[1]} << 32 | block[0], std::uint64_t{block[3]} << 32 | block[2]};
}

std::uint64_t Random::next_u64() {
  return next_block()[0];
}

std::uint64_t Random::below(std::uint64_t bound) {
  LIGHTRAIL_EXPECT(bound > 0);
  // Multiply and reject (Lemire 2019): the low products that would favour some results are drawn again.
  const std::uint64_t biased = (0 - bound) % bound;
  for (;;) {
    const UnsignedWide product = static_cast<UnsignedWide>(next_u64()) * bound;
    if (static_cast<std::uint64_t>(product) >= biased) return static_cast<std::uint64_t>(product >> 64);
  }
}

double Random::uniform() {
  return unit_interval(next_u64());
}

std::array<double, 2> Random::two_uniform() {
  const std::array<std::uint64_t, 2> block = next_block();
  return {unit_interval(block[0]), unit_interval(block[1])};
}

double Random::exponential(double mean) {
  LIGHTRAIL_EXPECT(mean > 0);
  return -mean * std::log1p(-uniform());
}

double Random::normal(double mean, double deviation) {
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  return mean + deviation * radius * std::cos(angle);
}

}  // namespace lightrail
