#include "app/cli/step_span.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "components/gpu/tables.hpp"

using namespace lightrail;

namespace {

/// Counts the rows that it gets.
class Rows final : public Recorder {
 public:
  [[nodiscard]] SimTime interval() const override { return SimTime{7}; }
  void append(TableId, ComponentId, SimTime, std::span<const std::int64_t>) override { ++rows; }
  void flush(SimTime) override { ++flushes; }
  int rows = 0, flushes = 0;
};

void step(Recorder& to, std::int64_t gpu, std::int64_t iteration, std::int64_t start, std::int64_t end) {
  const std::vector<std::int64_t> row{gpu, iteration, start, end, 0, 0, 0, 0};
  to.append(tables::steps, ComponentId{0}, SimTime{start}, row);
}

}  // namespace

TEST_CASE("the first step lasts from the first GPU's start to the last one's end, and rows go on") {
  Rows rows;
  StepSpan first(&rows);
  CHECK(first.interval() == SimTime{7});
  CHECK(first.of_this_rank().gpus == 0);
  step(first, 0, 0, 10, 40);
  step(first, 1, 0, 5, 30);
  step(first, 0, 1, 0, 90);
  const std::vector<std::int64_t> other{0, 0, 0, 1'000};
  first.append(tables::ops, ComponentId{0}, SimTime{0}, other);
  first.flush(SimTime{100});
  const StepSpan::Span span = first.of_this_rank();
  CHECK(span.start == SimTime{5});
  CHECK(span.end == SimTime{40});
  CHECK(span.gpus == 2);
  CHECK(rows.rows == 4);
  CHECK(rows.flushes == 1);
}

TEST_CASE("later steps last from the start of the first to the end of the last of them") {
  StepSpan some(nullptr, {1, 2});
  step(some, 0, 0, 5, 40);
  step(some, 0, 1, 40, 70);
  step(some, 1, 1, 35, 75);
  step(some, 0, 2, 70, 90);
  step(some, 0, 3, 90, 120);
  const StepSpan::Span& span = some.of_this_rank();
  CHECK(span.begin == SimTime{5});
  CHECK(span.start == SimTime{35});
  CHECK(span.end == SimTime{90});
  CHECK(span.gpus == 1);
}

TEST_CASE("a first step without a recorder behind it keeps its span alone") {
  StepSpan first(nullptr);
  CHECK(first.interval() == time_never);
  step(first, 3, 0, 1, 2);
  first.flush(SimTime{3});
  CHECK(first.of_this_rank().gpus == 1);
}
