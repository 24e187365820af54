#include "engine/base/hash.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

TEST_CASE("the hash depends on the order of what it folds") {
  CHECK(hash_combine(hash_combine(0, 1), 2) != hash_combine(hash_combine(0, 2), 1));
}

TEST_CASE("the mixer is SplitMix64's") {
  // First output of SplitMix64 from state 0 (Steele, Lea, Flood 2014, reference code).
  CHECK(mix64(0x9e3779b97f4a7c15ULL) == 0xe220a8397b1dcdafULL);
}
