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

void step(Recorder& to, std::int64_t gpu, std::int64_t iteration, std::int64_t start, std::int64_t end,
          std::int64_t attempt = 0) {
  const std::vector<std::int64_t> row{gpu, iteration, start, end, 0, 0, 0, 0, attempt};
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

TEST_CASE("a step that is done again after a restart counts as it was done first") {
  StepSpan first(nullptr);
  step(first, 0, 0, 0, 40);
  step(first, 1, 0, 0, 50);
  step(first, 0, 0, 900, 940, 1);
  step(first, 1, 0, 900, 950, 1);
  CHECK(first.of_this_rank().end == SimTime{50});
  CHECK(first.of_this_rank().gpus == 2);
}

TEST_CASE("it is full when as many GPUs as it was told have ended the last step, and never where none was") {
  StepSpan some(nullptr, {1, 2}, 2), all(nullptr, {1, 2}), nobody(nullptr, {}, 0);
  CHECK(nobody.is_full());
  for (StepSpan* span : {&some, &all}) {
    for (const std::int64_t gpu : {0, 1}) step(*span, gpu, 1, 0, 10);
    step(*span, 0, 2, 10, 20);
    CHECK_FALSE(span->is_full());
    step(*span, 0, 3, 20, 30);
    CHECK_FALSE(span->is_full());
    step(*span, 1, 2, 10, 25);
  }
  CHECK(some.is_full());
  CHECK_FALSE(all.is_full());
}

TEST_CASE("a first step without a recorder behind it keeps its span alone") {
  StepSpan first(nullptr);
  CHECK(first.interval() == time_never);
  step(first, 3, 0, 1, 2);
  first.flush(SimTime{3});
  CHECK(first.of_this_rank().gpus == 1);
}
