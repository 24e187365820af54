#include "engine/base/paired_array.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace lightrail;

namespace {

struct alignas(64) Line {
  std::int64_t value = 7;
};
using Array = PairedArray<Line, Line, 2>;

std::uintptr_t address(const Line& line) {
  return reinterpret_cast<std::uintptr_t>(&line);
}

}  // namespace

TEST_CASE("a partner lies in the line behind its element, both in one block of 128 bytes") {
  Array array(3, true);
  REQUIRE(array.has_partners());
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(address(array[i]) % 128 == 0);
    CHECK(address(array.partner(i)) == address(array[i]) + 64);
  }
}

TEST_CASE("without partners few elements lie in the object and many behind one another elsewhere") {
  Array few(2, false), many(3, false);
  CHECK(!few.has_partners());
  CHECK(address(few[1]) + 64 <= reinterpret_cast<std::uintptr_t>(&few + 1));
  CHECK(address(few[0]) >= reinterpret_cast<std::uintptr_t>(&few));
  CHECK(address(many[2]) == address(many[0]) + 128);
}

TEST_CASE("a loop goes over all elements in order and changes them, not their partners") {
  for (const bool has_partners : {false, true}) {
    Array array(5, has_partners);
    std::int64_t next = 0;
    for (Line& line : array) {
      CHECK(line.value == 7);
      line.value = next++;
    }
    const Array& fixed = array;
    next = 0;
    for (const Line& line : fixed) CHECK(line.value == next++);
    CHECK(next == 5);
    for (std::size_t i = 0; has_partners && i < 5; ++i) CHECK(fixed.partner(i).value == 7);
  }
}
