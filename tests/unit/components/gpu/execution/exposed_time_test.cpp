#include "components/gpu/execution/exposed_time.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <utility>
#include <vector>

using namespace lightrail;
using Key = ExposedTime::Key;
using Split = std::vector<std::pair<Key, std::int64_t>>;

namespace {

constexpr Key compute{.use = TimeUse::compute}, host{.use = TimeUse::host};
constexpr Key tp{.use = TimeUse::communication, .dimension = 0, .group = 0},
    pp{.use = TimeUse::communication, .dimension = 1, .group = 2},
    bubble{.use = TimeUse::bubble, .dimension = 1, .group = 2};

SimTime at(std::int64_t ps) {
  return SimTime{ps};
}

Split taken(ExposedTime& time, std::int64_t now) {
  Split split;
  for (const ExposedTime::Part& part : time.take(at(now))) split.emplace_back(part.key, part.time.count());
  return split;
}

}  // namespace

TEST_CASE("time counts for one use after the other, and parts come in the order of keys") {
  ExposedTime time;
  time.set(at(0), tp);
  time.set(at(10), compute);
  time.set(at(35), tp);
  time.set(at(36), host);
  CHECK(taken(time, 40) == Split{{compute, 25}, {tp, 11}, {host, 4}});
}

TEST_CASE("an iteration that follows begins with what the one before ended with") {
  ExposedTime time;
  time.set(at(0), compute);
  CHECK(taken(time, 7) == Split{{compute, 7}});
  CHECK(taken(time, 7).empty());
  CHECK(taken(time, 9) == Split{{compute, 2}});
}

TEST_CASE("what is moved goes from one use to another, at most what there is") {
  ExposedTime time;
  time.set(at(0), compute);
  time.move(at(10), compute, host, at(4));
  time.set(at(10), tp);
  time.move(at(12), compute, host, at(1));
  CHECK(taken(time, 20) == Split{{compute, 5}, {tp, 10}, {host, 5}});
  time.move(at(20), compute, host, at(3));  // none
  time.set(at(20), compute);
  time.move(at(22), compute, host, at(3));
  CHECK(taken(time, 22) == Split{{host, 2}});
}

TEST_CASE("of a receive the time between its readiness and its partner's first sign is bubble") {
  // Ready at 4, the partner's sign at 9: 3 to 4 and 9 to 12 are communication.
  ExposedTime time;
  time.set(at(0), compute);
  time.set(at(3), pp, 5);
  time.settle(at(12), 5, pp, at(4), at(9));
  time.set(at(12), compute);
  CHECK(taken(time, 13) == Split{{compute, 4}, {pp, 4}, {bubble, 5}});
}

TEST_CASE("a kernel within a receive takes its time out of what it lies in") {
  for (const std::int64_t sign : {5, 20}) {  // before, behind
    ExposedTime time;
    time.set(at(0), pp, 1);
    time.set(at(8), compute);
    time.set(at(10), pp, 1);
    time.settle(at(30), 1, pp, at(0), at(sign));
    const std::int64_t waited = sign == 5 ? 5 : 18;
    CHECK(taken(time, 30) == Split{{compute, 2}, {pp, 28 - waited}, {bubble, waited}});
  }
}

TEST_CASE("two receives that take turns are settled each by itself") {
  ExposedTime time;
  time.set(at(0), pp, 1);
  time.set(at(10), tp, 2);
  time.set(at(20), pp, 1);
  time.settle(at(25), 1, pp, at(0), at(22));
  time.set(at(25), tp, 2);
  time.settle(at(30), 2, tp, at(0), at(0));
  CHECK(taken(time, 30) == Split{{tp, 15}, {pp, 3}, {bubble, 12}});
}

TEST_CASE("a partner that was there first, or never shows, leaves no bubble, or all of it") {
  for (const bool shows : {true, false}) {
    ExposedTime time;
    time.set(at(10), pp, 0);
    time.settle(at(20), 0, pp, at(10), shows ? at(0) : time_never);
    const Split split = taken(time, 20);
    CHECK(split.front() == std::pair{shows ? pp : bubble, std::int64_t{10}});
  }
}

TEST_CASE("to end an iteration while a receive is not settled is our bug") {
  ExposedTime time;
  time.set(at(0), pp, 0);
  time.set(at(5), compute);
  CHECK_THROWS_AS(time.take(at(6)), ContractError);
}

TEST_CASE("a clock that was saved and loaded goes on with the same") {
  ExposedTime time, other;
  time.set(at(0), compute);
  time.set(at(3), pp, 4);
  time.set(at(6), host);
  time.set(at(7), pp, 4);
  StateWriter state;
  time.save(state);
  StateReader reader(state.bytes());
  other.load(reader);
  CHECK(reader.is_at_end());
  for (ExposedTime* one : {&time, &other}) one->settle(at(12), 4, pp, at(3), at(8));
  CHECK(taken(time, 15) == taken(other, 15));
}
