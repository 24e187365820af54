#include "workloads/goodput/failure_stream.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "tests/unit/workloads/goodput/small_job.hpp"

using namespace lightrail;

namespace {

GoodputPlan three_categories() {
  GoodputPlan plan = small_job(6, one_minute, {});
  plan.categories.push_back({"rare", 0.5, {}, false});
  plan.categories.push_back({"never", 0, {}, false});
  plan.categories.push_back({"often", 1.5, {}, false});
  return plan;
}

}  // namespace

TEST_CASE("gaps are exponential: mean 1 / rate, as large a deviation, exp(-1) of them above the mean") {
  const GoodputPlan plan = three_categories();  // 8 a day: one each 3 h
  constexpr int draws = 200'000;
  double sum = 0, squares = 0;
  int above = 0, drawn = 0;
  for (std::uint32_t run = 0; drawn < draws; ++run) {
    FailureStream failures(plan, run);
    for (SimTime last{}; failures.at() < 100 * one_day; last = failures.at(), failures.advance(), ++drawn) {
      const double hours = static_cast<double>((failures.at() - last).count()) / 3.6e15;
      sum += hours, squares += hours * hours, above += hours > 3;
    }
  }
  const double mean = sum / drawn;
  CHECK(mean == Approx(3).epsilon(0.01));
  CHECK(std::sqrt(squares / drawn - mean * mean) == Approx(3).epsilon(0.02));
  CHECK(static_cast<double>(above) / drawn == Approx(std::exp(-1)).epsilon(0.02));
}

TEST_CASE("categories come in proportion to their rates, one of rate 0 never") {
  const GoodputPlan plan = three_categories();
  std::vector<double> counts(plan.categories.size());
  double all = 0;
  for (std::uint32_t run = 0; run < 200; ++run)
    for (FailureStream failures(plan, run); failures.at() < 100 * one_day; failures.advance(), ++all)
      ++counts[failures.category()];
  CHECK(counts[0] / all == Approx(0.75).epsilon(0.01));
  CHECK(counts[1] / all == Approx(0.0625).epsilon(0.03));
  CHECK(counts[2] == 0);
  CHECK(counts[3] / all == Approx(0.1875).epsilon(0.02));
}

TEST_CASE("a run's failures are its own and the same each time; another seed has others") {
  GoodputPlan plan = small_job(8, one_minute, {});
  FailureStream one(plan, 3), again(plan, 3), other_run(plan, 4);
  plan.seed = 2;
  FailureStream other_seed(plan, 3);
  CHECK(one.at() == again.at());
  CHECK(one.at() != other_run.at());
  CHECK(one.at() != other_seed.at());
}

TEST_CASE("where nothing fails no failure ever comes") {
  FailureStream nothing(small_job(0, one_minute, {}), 0);
  CHECK(nothing.at() == time_never);
  nothing.advance();
  CHECK(nothing.at() == time_never);
  // One in a million years: beyond what SimTime holds.
  CHECK(FailureStream(small_job(1e-9, one_minute, {}), 0).at() == time_never);
}

TEST_CASE("which one fails is uniform over them and stays the same while it is asked") {
  std::set<std::uint32_t> met;
  FailureStream failures(small_job(8, one_minute, {}), 0);
  for (int i = 0; i < 1000; ++i, failures.advance()) {
    met.insert(failures.which_of(30));
    CHECK(failures.which_of(30) == failures.which_of(30));
  }
  CHECK(met.size() == 30);
  CHECK(*met.rbegin() == 29);
}

TEST_CASE("servers that fail at once are different ones, every set as likely") {
  GoodputPlan plan = small_job(10, one_minute, {});
  plan.categories[0].replaces_server = true;
  plan.categories[0].servers = 3;
  std::map<std::set<std::uint32_t>, int> drawn;
  int draws = 0;
  for (std::uint32_t run = 0; run < 40; ++run)
    for (FailureStream failures(plan, run); failures.at() < plan.period; failures.advance(), ++draws) {
      const std::vector<std::uint32_t> servers = failures.servers_of(5);
      ++drawn[{servers.begin(), servers.end()}];
      CHECK(failures.servers_of(2).size() == 2);
    }
  REQUIRE(drawn.size() == 10);  // C(5, 3)
  for (const auto& [servers, count] : drawn) {
    CHECK(servers.size() == 3);
    CHECK(count == Approx(draws / 10.0).epsilon(0.1));
  }
}
