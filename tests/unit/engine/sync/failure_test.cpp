#include <optional>
#include <stdexcept>
#include <string>

#include "engine/sync/failure.hpp"

#include <catch2/catch.hpp>

#include "engine/base/error.hpp"
#include "engine/base/out_of_memory.hpp"

using namespace lightrail;

namespace {

template <class E>
Failure failure(SimTime time, ComponentId component, E error) {
  return {time, component, std::make_exception_ptr(error)};
}

}  // namespace

TEST_CASE("the first failure is the one with the smallest time, then component") {
  std::optional<Failure> first;
  keep_first(first, failure(SimTime{9}, ComponentId{1}, IoError("late")));
  keep_first(first, failure(SimTime{5}, ComponentId{7}, IoError("right")));
  keep_first(first, failure(SimTime{5}, ComponentId{8}, IoError("higher")));
  CHECK_THROWS_WITH(agree_on_failure(MPI_COMM_WORLD, first), "right");
}

TEST_CASE("no failure anywhere is no exception") {
  CHECK_NOTHROW(agree_on_failure(MPI_COMM_WORLD, std::nullopt));
}

TEST_CASE("an agreed exception keeps its type, text and data") {
  const auto agree = [](auto error) {
    agree_on_failure(MPI_COMM_WORLD, failure(SimTime{5}, ComponentId{7}, error));
  };
  try {
    agree(InputErrors({{"a.xml", 3, "bad"}, {"", 0, "worse"}}));
    FAIL("no exception");
  } catch (const InputErrors& e) {
    REQUIRE(e.errors().size() == 2);
    CHECK(e.errors()[0].file == "a.xml");
    CHECK(e.errors()[0].line == 3);
    CHECK(e.errors()[1].what == "worse");
  }
  try {
    agree(SimulationError(nanoseconds(3), "gpu3", "no route"));
    FAIL("no exception");
  } catch (const SimulationError& e) {
    CHECK(std::string(e.what()) == SimulationError(nanoseconds(3), "gpu3", "no route").what());
    CHECK(e.component == "gpu3");
    CHECK(e.time == nanoseconds(3));
  }
  CHECK_THROWS_AS(agree(IoError("disk full")), IoError);
  CHECK_THROWS_AS(agree(MemoryError("none left")), MemoryError);
  CHECK_THROWS_AS(agree(std::bad_alloc()), MemoryError);
  CHECK_THROWS_AS(agree(ContractError("x > 0")), ContractError);
  CHECK_THROWS_AS(agree(std::runtime_error("other")), ContractError);
}
