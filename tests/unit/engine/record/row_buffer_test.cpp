#include "engine/record/row_buffer.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "engine/base/error.hpp"

using namespace lightrail;

TEST_CASE("rows are ordered by interval, component, time, then by the order they were made in") {
  RowBuffer buffer(1);
  auto add = [&](std::int64_t interval, std::uint32_t component, int time, std::int64_t value) {
    buffer.append(interval, ComponentId{component}, nanoseconds(time), std::array{value});
  };
  add(1, 0, 0, 10);
  add(0, 5, 20, 20);
  add(0, 5, 10, 30);
  add(0, 2, 10, 40);
  add(0, 5, 10, 50);
  add(0, 2, 90, 60);
  std::vector<RowRun> runs;
  CHECK(buffer.take_sorted(runs) == std::vector<std::int64_t>{2, 40, 2, 60, 5, 30, 5, 50, 5, 20, 0, 10});
  CHECK(runs == std::vector<RowRun>{{0, 2, 2}, {0, 5, 3}, {1, 0, 1}});
  CHECK(buffer.rows() == 0);
}

TEST_CASE("a row of another width is our bug") {
  RowBuffer buffer(2);
  CHECK_THROWS_AS(buffer.append(0, ComponentId{0}, SimTime{0}, std::array<std::int64_t, 1>{1}),
                  ContractError);
}

TEST_CASE("rows of an interval that is still open stay, in their order, and can be saved and loaded") {
  RowBuffer buffer(1);
  for (std::int64_t i = 0; i < 6; ++i)
    buffer.append(i % 2, ComponentId{static_cast<std::uint32_t>(7 - i)}, nanoseconds(1), std::array{i});
  std::vector<RowRun> runs;
  CHECK(buffer.rows_before(1) == 3);
  CHECK(buffer.take_sorted(runs, 1) == std::vector<std::int64_t>{3, 4, 5, 2, 7, 0});
  REQUIRE(buffer.rows() == 3);

  RowBuffer copy(1);
  for (std::size_t row = 0; row < buffer.rows(); ++row) {
    StateWriter out;
    buffer.save(row, out);
    StateReader in(out.bytes());
    copy.load(1, buffer.component(row), in);
    CHECK(in.is_at_end());
  }
  const std::vector<std::int64_t> rest = {2, 5, 4, 3, 6, 1};
  CHECK(buffer.take_sorted(runs) == rest);
  CHECK(copy.take_sorted(runs) == rest);
}
