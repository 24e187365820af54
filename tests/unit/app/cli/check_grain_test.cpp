#include "app/cli/check_grain.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <span>
#include <utility>
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
  FirstStep first(&rows);
  CHECK(first.interval() == SimTime{7});
  CHECK(first.of_this_rank().gpus == 0);
  step(first, 0, 0, 10, 40);
  step(first, 1, 0, 5, 30);
  step(first, 0, 1, 0, 90);
  const std::vector<std::int64_t> other{0, 0, 0, 1'000};
  first.append(tables::ops, ComponentId{0}, SimTime{0}, other);
  first.flush(SimTime{100});
  const FirstStep::Span span = first.of_this_rank();
  CHECK(span.start == SimTime{5});
  CHECK(span.end == SimTime{40});
  CHECK(span.gpus == 2);
  CHECK(rows.rows == 4);
  CHECK(rows.flushes == 1);
}

TEST_CASE("a first step without a recorder behind it keeps its span alone") {
  FirstStep first(nullptr);
  CHECK(first.interval() == time_never);
  step(first, 3, 0, 1, 2);
  first.flush(SimTime{3});
  CHECK(first.of_this_rank().gpus == 1);
}

TEST_CASE("the longest trains of a model, those of NVLink apart") {
  Model model;
  CHECK(longest_trains(model).fabric == 1);
  for (const auto& [medium, grain] : {std::pair{"nvlink", 32u}, {"electrical", 12u}, {"optical", 8u}}) {
    LinkClass link;
    link.medium = medium;
    link.grain = grain;
    model.link_classes.push_back(link);
  }
  CHECK(longest_trains(model).fabric == 12);
  CHECK(longest_trains(model).nvlink == 32);
}
