#include <string>

#include "engine/base/error.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

TEST_CASE("an input error names file and line where it has them") {
  CHECK(to_string(InputError{"fabric.xml", 12, "no root"}) == "fabric.xml:12: no root");
  CHECK(to_string(InputError{"trace.h5", 0, "ends early"}) == "trace.h5: ends early");
  CHECK(to_string(InputError{"", 0, "unknown option"}) == "unknown option");
}

TEST_CASE("input errors print one a line") {
  InputErrors errors({{"a.xml", 1, "x"}, {"b.xml", 2, "y"}});
  CHECK(std::string(errors.what()) == "a.xml:1: x\nb.xml:2: y");
  CHECK(errors.errors().size() == 2);
}

TEST_CASE("a simulation error names component and time") {
  SimulationError error(microseconds(3), "gpu3", "unroutable");
  CHECK(std::string(error.what()) == "gpu3 at 3.000 us: unroutable");
  CHECK(std::string(SimulationError(nanoseconds(1), "", "deadlock").what()) == "at 1.000 ns: deadlock");
}

TEST_CASE("a broken contract names its expression and place") {
  const int zero = 0;
  try {
    LIGHTRAIL_EXPECT(zero > 0);
    FAIL("no exception");
  } catch (const ContractError& error) {
    const std::string text = error.what();
    CHECK(text.find("contract 'zero > 0' broken at ") == 0);
    CHECK(text.find("error_test.cpp:") != std::string::npos);
  }
}
