#include "app/goodput/finish_plan.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/record/result_file.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace lightrail;

namespace {

constexpr std::int64_t second = 1'000'000'000'000;

struct OpRow {
  std::int64_t kind, iteration, start_s, end_s;
};

/// A result whose operations are of the kinds compute and storage_write.
std::string result_of(const test::TemporaryFolder& folder, const std::vector<OpRow>& rows) {
  std::string path = folder / "r.h5";
  ResultFile file(path, ResultFile::Mode::create);
  file.set_attribute("/", "schema", "lightrail result");
  file.set_attribute("/", "schema_version", std::int64_t{1});
  file.create_group("/tables");
  file.create_group("/tables/ops");
  const auto column = [&](const char* name, auto at) {
    file.write_numbers(std::string("/tables/ops/") + name, "1", rows.size(),
                       [&](std::size_t i) { return at(rows[i]); });
  };
  column("kind", [](const OpRow& row) { return row.kind; });
  column("iteration", [](const OpRow& row) { return row.iteration; });
  column("t_start_ps", [](const OpRow& row) { return row.start_s * second; });
  column("t_end_ps", [](const OpRow& row) { return row.end_s * second; });
  file.set_attribute("/tables/ops/kind", "labels", std::vector<std::string>{"compute", "storage_write"});
  file.close();
  REQUIRE(file.problem().empty());
  return path;
}

/// Two iterations of two GPUs; in the last one, of 20 s, both waited 4 s for storage.
Summary summary() {
  Summary all;
  for (std::int64_t i = 0; i < 2; ++i) {
    IterationSummary step;
    step.iteration = i, step.gpus = 2;
    step.t_start_ps = i * 30 * second, step.t_end_ps = step.t_start_ps + (i == 0 ? 30 : 20) * second;
    all.iterations.push_back(step);
  }
  all.exposed = {{0, "storage", "", "", 50 * second},
                 {1, "compute", "", "", 32 * second},
                 {1, "storage", "", "", 8 * second}};
  return all;
}

GoodputRequest request(bool simulates_step, bool simulates_write, bool is_synchronous) {
  GoodputRequest all;
  all.simulates_step = simulates_step, all.simulates_write = simulates_write,
  all.is_synchronous = is_synchronous;
  all.plan.step = simulates_step ? SimTime{} : SimTime{7 * second};
  all.plan.checkpoint = JobCheckpoint{SimTime{60 * second}, {}, {}, 1};
  return all;
}

GoodputPlan finished(const GoodputRequest& given, const std::vector<OpRow>& rows,
                     const Summary& of = summary()) {
  const test::TemporaryFolder folder;
  return finished_plan(given, of, ResultReader(result_of(folder, rows), ResultReader::Accept::written));
}

const std::vector<OpRow> writes{{1, 0, 3, 30}, {0, 1, 30, 46}, {1, 1, 40, 47}, {1, 1, 41, 50}};

}  // namespace

TEST_CASE("a plan that says all is left as it is") {
  CHECK(finished(request(false, false, true), {}).step == SimTime{7 * second});
}

TEST_CASE("a step is the last iteration's") {
  CHECK(finished(request(true, false, true), writes).step == SimTime{20 * second});
}

TEST_CASE("of several jobs the step is that of the one that is named") {
  Summary all = summary();
  all.iterations[0].job = std::string("a"), all.iterations[1].job = std::string("b");
  GoodputRequest of_a = request(true, false, true);
  of_a.job = std::string("a");
  CHECK(finished(of_a, writes, all).step == SimTime{30 * second});
  of_a.job = std::string("c");  // has ended no iteration
  CHECK_THROWS_WITH(finished(of_a, writes, all), Catch::Contains("no GPU has ended an iteration"));
}

TEST_CASE("a simulated write lasts from the first to the last one and is no part of the step") {
  const GoodputPlan waits = finished(request(true, true, true), writes);
  CHECK(waits.step == SimTime{16 * second});
  CHECK(waits.checkpoint->blocking == SimTime{10 * second});
  CHECK(waits.checkpoint->write == SimTime{});
  // In the background it blocks for as long as GPUs waited for it.
  const GoodputPlan goes_on = finished(request(true, true, false), writes);
  CHECK(goes_on.checkpoint->blocking == SimTime{4 * second});
  CHECK(goes_on.checkpoint->write == SimTime{6 * second});
}

TEST_CASE("a run that does not tell what is asked of it is refused") {
  CHECK_THROWS_WITH(finished(request(true, false, true), writes, Summary{}),
                    Catch::Contains("no GPU has ended an iteration"));
  CHECK_THROWS_WITH(finished(request(true, true, true), {{1, 0, 3, 30}}),
                    Catch::Contains("no storage write of the last iteration is recorded"));
  Summary nothing_else = summary();
  nothing_else.exposed.back().time_ps = 40 * second;
  CHECK_THROWS_WITH(finished(request(true, true, true), writes, nothing_else),
                    Catch::Contains("nothing but waiting for storage"));
}
