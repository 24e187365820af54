#include "links/optical/path_loss.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>

using namespace lightrail;

TEST_CASE("a path's loss is seeded, differs by path and has the spread that was asked for") {
  const PathLoss loss{Decibel{2.0}, Decibel{0.3}, Decibel{0}};
  double sum = 0, squares = 0;
  const std::uint16_t n = 100;
  for (std::uint16_t in = 0; in < n; ++in)
    for (std::uint16_t out = 0; out < n; ++out) {
      const double here = loss.of(7, ComponentId{3}, in, out).value;
      sum += here, squares += (here - 2) * (here - 2);
    }
  CHECK(sum / (n * n) == Approx(2.0).margin(0.02));
  CHECK(std::sqrt(squares / (n * n)) == Approx(0.3).epsilon(0.05));
  CHECK(loss.of(7, ComponentId{3}, 1, 2) == loss.of(7, ComponentId{3}, 1, 2));
  CHECK(loss.of(8, ComponentId{3}, 1, 2) != loss.of(7, ComponentId{3}, 1, 2));
}

TEST_CASE("without spread every path loses the same, and age only adds") {
  CHECK(PathLoss{Decibel{2.0}, {}, {}}.of(7, ComponentId{3}, 1, 2) == Decibel{2.0});
  CHECK(PathLoss{Decibel{2.0}, {}, Decibel{0.2}}.of(7, ComponentId{3}, 1, 2) > Decibel{2.0});
  CHECK(PathLoss{Decibel{0.0}, Decibel{5.0}, {}}.of(7, ComponentId{3}, 1, 2) >= Decibel{0.0});
}
