#include "engine/base/small_array.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <utility>

using namespace lightrail;

namespace {

using Array = SmallArray<int, 2>;

bool lies_in(const Array& array, const int& element) {
  const auto* object = reinterpret_cast<const std::byte*>(&array);
  const auto* place = reinterpret_cast<const std::byte*>(&element);
  return place >= object && place < object + sizeof array;
}

}  // namespace

TEST_CASE("few elements lie in the object and many elsewhere, all zero at first") {
  for (const std::size_t size : {0, 1, 2, 3, 9}) {
    Array array(size);
    CHECK(array.size() == size);
    CHECK(array.end() - array.begin() == static_cast<std::ptrdiff_t>(size));
    for (const int& element : array) {
      CHECK(element == 0);
      CHECK(lies_in(array, element) == (size <= 2));
    }
  }
}

TEST_CASE("an array that is moved has its elements, in itself where they are few") {
  for (const std::size_t size : {2, 5}) {
    Array from(size);
    for (std::size_t i = 0; i < size; ++i) from[i] = static_cast<int>(i) + 1;
    const Array to(std::move(from));
    REQUIRE(to.size() == size);
    for (std::size_t i = 0; i < size; ++i) CHECK(to[i] == static_cast<int>(i) + 1);
    CHECK(lies_in(to, to[0]) == (size <= 2));
  }
}
