#include "workloads/collective/ring.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

namespace lightrail {

TEST_CASE("parts differ by at most one element and add up exactly") {
  for (std::int64_t bytes : {0, 1, 2, 7, 1'000, 999'998, 1'000'001})
    for (std::uint32_t parts : {1u, 2u, 3u, 7u, 8u, 1'280u}) {
      std::int64_t sum = 0, least = bytes, most = 0;
      for (std::uint32_t i = 0; i < parts; ++i) {
        const std::int64_t part = part_bytes(bytes, 2, parts, i);
        sum += part, least = std::min(least, part), most = std::max(most, part);
      }
      CHECK(sum == bytes);
      CHECK(most - least <= (bytes % 2 == 0 ? 2 : 1));
    }
}

TEST_CASE("parts of the largest size do not overflow") {
  const std::int64_t bytes = std::int64_t{1} << 44;
  CHECK(part_bytes(bytes, 1, 1'000'000, 999'999) + part_bytes(bytes, 1, 1'000'000, 0) > 0);
  std::int64_t sum = 0;
  for (std::uint32_t i = 0; i < 1'000; ++i) sum += part_bytes(bytes, 4, 1'000, i);
  CHECK(sum == bytes);
}

TEST_CASE("in a ring all-reduce every member reduces, then passes on, every block once") {
  const std::uint32_t n = 6;
  // owner[b]: who has the whole sum of block b after n - 1 steps; then everyone gets each block.
  std::vector<std::set<std::uint32_t>> has(n);
  for (std::uint32_t r = 0; r < n; ++r) {
    const std::uint32_t last = ring_block(CollectiveType::all_reduce, n, (r + n - 1) % n, n - 2);
    has[r].insert(last);
    CHECK(ring_block(CollectiveType::all_reduce, n, r, n - 1) == last);
  }
  for (std::uint32_t s = n - 1; s < 2 * n - 2; ++s)
    for (std::uint32_t r = 0; r < n; ++r) {
      const std::uint32_t block = ring_block(CollectiveType::all_reduce, n, r, s);
      CHECK(has[r].count(block) == 1);
      has[(r + 1) % n].insert(block);
    }
  for (const auto& blocks : has) CHECK(blocks.size() == n);
}

TEST_CASE("a reduce-scatter ends with block r at member r, an all-gather starts there") {
  const std::uint32_t n = 5;
  for (std::uint32_t r = 0; r < n; ++r) {
    CHECK(ring_block(CollectiveType::reduce_scatter, n, (r + n - 1) % n, n - 2) == r);
    CHECK(ring_block(CollectiveType::all_gather, n, r, 0) == r);
  }
}

TEST_CASE("what a member sends in all steps is the sum of its blocks") {
  for (CollectiveType type :
       {CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter})
    for (std::uint32_t n : {2u, 3u, 5u, 8u, 16u})
      for (std::int64_t bytes : {2, 7, 100'001, 1'000'002})
        for (std::uint32_t r = 0; r < n; ++r) {
          std::int64_t sum = 0;
          for (std::uint32_t s = 0; s < ring_steps(type, n); ++s)
            sum += part_bytes(bytes, 2, n, ring_block(type, n, r, s));
          CHECK(turn_bytes(type, bytes, 2, n, r) == sum);
        }
}

}  // namespace lightrail
