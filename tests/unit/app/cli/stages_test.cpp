#include "app/cli/stages.hpp"

#include <catch2/catch.hpp>
#include <new>
#include <string>
#include <vector>

using namespace lightrail;

TEST_CASE("each kind of error has its exit code and its text") {
  auto code = [](auto error) { return static_cast<int>(exit_code_of(std::make_exception_ptr(error))); };
  auto text = [](auto error) { return error_text(std::make_exception_ptr(error)); };
  const InputErrors input({{"a.xml", 3, "no radix"}, {"", 0, "unknown option '--x'"}});
  CHECK(code(input) == 2);
  CHECK(text(input) == "error: a.xml:3: no radix\nerror: unknown option '--x'\n");
  const SimulationError simulation(microseconds(5), "gpu3", "unroutable");
  CHECK(code(simulation) == 3);
  CHECK(text(simulation) == "error: gpu3 at 5.000 us: unroutable\n");
  CHECK(code(IoError("disk full")) == 4);
  CHECK(text(IoError("disk full")) == "error: disk full\n");
  CHECK(code(ContractError("x")) == 1);
  CHECK(text(ContractError("x")) == "internal error, please report: x\n");
  CHECK(code(std::bad_alloc()) == 4);
  CHECK_THAT(text(std::bad_alloc()), Catch::StartsWith("error: out of memory after "));
  CHECK(code(42) == 1);
  CHECK(text(42) == "internal error, please report: an exception of unknown type\n");
  CHECK(code(FailedElsewhere(ExitCode::io)) == 4);
  CHECK(text(FailedElsewhere(ExitCode::io)).empty());
}

TEST_CASE("a full list of mistakes says that there may be more") {
  const InputErrors errors(std::vector<InputError>(20, {"a.xml", 1, "x"}));
  const std::string text = error_text(std::make_exception_ptr(errors));
  CHECK(text.find("error: stopped after 20 mistakes, there may be more\n") != std::string::npos);
}
