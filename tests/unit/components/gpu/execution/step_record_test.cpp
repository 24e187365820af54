#include "components/gpu/execution/step_record.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace lightrail;
using Parts = std::vector<ExposedTime::Part>;

namespace {

constexpr ExposedTime::Key compute{.use = TimeUse::compute}, idle{.use = TimeUse::idle},
    pp{.use = TimeUse::communication, .dimension = 1, .group = 2};

}  // namespace

TEST_CASE("a part that is asked for stands in the order of keys") {
  Parts parts{{compute, SimTime{5}}, {idle, SimTime{7}}};
  time_of(parts, idle) += SimTime{1};
  time_of(parts, pp) += SimTime{3};
  REQUIRE(parts.size() == 3);
  CHECK((parts[1].key == pp && parts[1].time == SimTime{3}));
  CHECK((parts[2].key == idle && parts[2].time == SimTime{8}));
}

TEST_CASE("steps differ by their largest difference, also in what only one of them has") {
  const Parts one{{compute, SimTime{50}}, {idle, SimTime{7}}};
  CHECK(largest_difference(one, one) == SimTime{0});
  CHECK(largest_difference(one, Parts{{compute, SimTime{48}}, {idle, SimTime{10}}}) == SimTime{3});
  CHECK(largest_difference(one, Parts{{compute, SimTime{50}}, {pp, SimTime{9}}, {idle, SimTime{7}}}) ==
        SimTime{9});
  const StepClock::Totals split{SimTime{1}, SimTime{2}, SimTime{3}, SimTime{4}};
  CHECK(largest_difference(split, split) == SimTime{0});
  CHECK(largest_difference(split, {SimTime{1}, SimTime{2}, SimTime{8}, SimTime{3}}) == SimTime{5});
}

TEST_CASE("a step that is saved is the same when it is loaded") {
  const StepRecord step{SimTime{100},
                        SimTime{160},
                        {SimTime{50}, SimTime{3}, SimTime{0}, SimTime{7}},
                        {{compute, SimTime{50}}, {pp, SimTime{10}}},
                        SimTime{40}};
  StateWriter out;
  step.save(out);
  StepRecord other;
  const auto bytes = out.bytes();
  StateReader in(bytes);
  other.load(in);
  CHECK(in.is_at_end());
  CHECK(other.time() == SimTime{60});
  CHECK(other.simulated_start == SimTime{40});
  CHECK(largest_difference(step.split, other.split) == SimTime{0});
  CHECK(largest_difference(step.uses, other.uses) == SimTime{0});
}
