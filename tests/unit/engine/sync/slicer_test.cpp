#include <cstdint>

#include "engine/sync/slicer.hpp"

#include <catch2/catch.hpp>

#include "engine/base/random.hpp"

using namespace lightrail;

TEST_CASE("a slice number is the exact quotient of time and width") {
  Random random(5, ComponentId{0}, 0);
  for (int i = 0; i < 200'000; ++i) {
    const auto width = static_cast<std::int64_t>((random.next_u64() >> 1 >> random.below(63)) | 1);
    const auto time = static_cast<std::int64_t>(random.next_u64() >> 1 >> random.below(63));
    REQUIRE(Slicer(SimTime{width}).slice_of(SimTime{time}) == time / width);
  }
}

TEST_CASE("the borders of slices are exact") {
  for (std::int64_t width : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{600'000}}) {
    const Slicer slicer(SimTime{width});
    for (std::int64_t slice : {std::int64_t{0}, std::int64_t{1}, std::int64_t{999'999'999'999}}) {
      CHECK(slicer.slice_of(slicer.start_of(slice)) == slice);
      CHECK(slicer.slice_of(slicer.start_of(slice + 1) - SimTime{1}) == slice);
    }
    CHECK(slicer.slice_of(time_never) == time_never.count() / width);
  }
  CHECK(Slicer(milliseconds(1)).start_of(std::int64_t{1} << 62) == time_never);
}
