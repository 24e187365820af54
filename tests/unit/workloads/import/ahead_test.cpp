#include "workloads/import/ahead.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace lightrail;
using Numbers = std::vector<std::size_t>;

namespace {

/// Items whose first ones take longest.
std::size_t slow_first(std::size_t i) {
  std::this_thread::sleep_for(std::chrono::microseconds(i < 4 ? 2000 : 10));
  return i;
}

Numbers counted(std::size_t count) {
  Numbers all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(i);
  return all;
}

}  // namespace

TEST_CASE("items are taken in order, whatever the number of threads and whoever is ready first") {
  for (std::size_t threads : {1, 2, 3, 64}) {
    Numbers taken;
    in_order<std::size_t>(
        50, slow_first, [&](std::size_t i) { taken.push_back(i); }, threads);
    CHECK(taken == counted(50));
  }
  in_order<std::size_t>(0, slow_first, [](std::size_t) { FAIL(); });
}

TEST_CASE("the first item in order that cannot be made ends everything, as with a single thread") {
  for (std::size_t threads : {1, 4}) {
    Numbers taken;
    const auto run = [&] {
      in_order<std::size_t>(
          50,
          [](std::size_t i) {
            if (i == 3 || i == 9) throw std::runtime_error("item " + std::to_string(i));
            return slow_first(i);
          },
          [&](std::size_t i) { taken.push_back(i); }, threads);
    };
    CHECK_THROWS_WITH(run(), "item 3");
    CHECK(taken == counted(3));
  }
}

TEST_CASE("an exception of who takes ends the making of items") {
  Numbers taken;
  const auto run = [&] {
    in_order<std::size_t>(
        1000, slow_first,
        [&](std::size_t i) {
          if (i == 5) throw std::runtime_error("enough");
          taken.push_back(i);
        },
        3);
  };
  CHECK_THROWS_WITH(run(), "enough");
  CHECK(taken == counted(5));
}

TEST_CASE("a consumer gets what a producer gives in its order, and its exception after what it had given") {
  Numbers taken;
  const auto produce = [](std::size_t count, bool fails) {
    return [=](const std::function<void(std::size_t)>& give) {
      for (std::size_t i = 0; i < count; ++i) give(i);
      if (fails) throw std::runtime_error("no more");
    };
  };
  consume_behind<std::size_t>(produce(100, false), [&](std::size_t i) { taken.push_back(i); });
  CHECK(taken == counted(100));
  taken.clear();
  CHECK_THROWS_WITH(
      consume_behind<std::size_t>(produce(100, true), [&](std::size_t i) { taken.push_back(i); }), "no more");
  CHECK(taken == counted(100));
}

TEST_CASE("a consumer's exception comes out though the producer would fail later") {
  const auto produce = [](const std::function<void(std::size_t)>& give) {
    for (std::size_t i = 0; i < 100; ++i) give(i);
    throw std::runtime_error("later");
  };
  CHECK_THROWS_WITH(
      consume_behind<std::size_t>(produce, [](std::size_t) { throw std::runtime_error("first"); }), "first");
}
