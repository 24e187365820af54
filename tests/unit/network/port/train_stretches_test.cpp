#include "network/port/train_stretches.hpp"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

namespace lightrail {
namespace {

TrainStretch between(int from, int to, std::vector<bool> atoms = {}) {
  return {SimTime{from}, SimTime{to}, 1, 1, std::move(atoms)};
}

TEST_CASE("stretches overlap where a train would lie in both") {
  CHECK(between(0, 10).overlaps(between(9, 20)));
  CHECK(between(9, 20).overlaps(between(0, 10)));
  CHECK_FALSE(between(0, 10).overlaps(between(10, 20)));
  CHECK(between(0, 10, {true, false}).overlaps(between(5, 20)));
  CHECK(between(0, 10, {true, false}).overlaps(between(5, 20, {true, true})));
  CHECK_FALSE(between(0, 10, {true, false}).overlaps(between(5, 20, {false, true})));
}

TEST_CASE("stretches of everybody are those of any component") {
  const TrainStretches all({between(100, 200), between(300, 400)});
  CHECK(all.of(AtomId{7}) == &all);
  CHECK(all.at(SimTime{100}) == all.all().data());
  CHECK_FALSE(all.at(SimTime{200}));
  CHECK_FALSE(TrainStretches({}).of(AtomId{0}));
}

TEST_CASE("a component has the stretches of its server and of everybody") {
  const TrainStretches all(
      {between(100, 200, {true, false, false}), between(150, 250, {false, true, false}), between(300, 400)});
  const TrainStretches *first = all.of(AtomId{0}), *second = all.of(AtomId{1}), *third = all.of(AtomId{2});
  REQUIRE((first && second && third));
  CHECK(first->all().size() == 2);
  CHECK(first->at(SimTime{150})->to == SimTime{200});
  CHECK_FALSE(first->at(SimTime{220}));
  CHECK(second->at(SimTime{150})->to == SimTime{250});
  CHECK_FALSE(second->at(SimTime{120}));
  CHECK_FALSE(third->at(SimTime{150}));
  for (const TrainStretches* each : {first, second, third}) CHECK(each->at(SimTime{300})->to == SimTime{400});
  const TrainStretches one({between(100, 200, {true, false})});
  CHECK_FALSE(one.of(AtomId{1}));
  CHECK_FALSE(one.of(AtomId{7}));  // added behind those that the stretch knows
  const TrainStretches all_named({between(100, 200, {true, true}), between(300, 400)});
  REQUIRE(all_named.of(AtomId{2}));
  CHECK(all_named.of(AtomId{2})->all().size() == 1);
}

}  // namespace
}  // namespace lightrail
