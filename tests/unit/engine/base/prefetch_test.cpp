#include "engine/base/prefetch.hpp"

#include <catch2/catch.hpp>

#include <array>

using namespace lightrail;

TEST_CASE("lines with some of so many bytes are those from the first one's to the last one's") {
  CHECK(lines_with(0, 1) == 1);
  CHECK(lines_with(0, 64) == 1);
  CHECK(lines_with(0, 65) == 2);
  CHECK(lines_with(63, 1) == 1);
  CHECK(lines_with(63, 2) == 2);
  CHECK(lines_with(64, 128) == 2);
  CHECK(lines_with(100, 128) == 3);
}

TEST_CASE("no bytes are in no line, wherever they would begin") {
  CHECK(lines_with(0, 0) == 0);
  CHECK(lines_with(63, 0) == 0);
  CHECK(lines_with(64, 0) == 0);
}

TEST_CASE("what is fetched need not be valid") {
  const std::array<char, 3> some{};
  prefetch_lines(some.data(), some.size());
  prefetch_lines(nullptr, 0);
  prefetch_lines(nullptr, 1000);
}
