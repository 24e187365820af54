#include "app/cli/report_page.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <string>
#include <vector>

#include "engine/base/error.hpp"

using namespace lightrail;

TEST_CASE("a page is called as the first result, or as asked") {
  setenv("LIGHTRAIL_PYTHON", "python-of-mine", 1);
  CommandLine line;
  line.positional = {"folder/a.h5", "b.h5"};
  CHECK(report_words(line) == std::vector<std::string>{"python-of-mine", "-m", "lightrail_post", "report",
                                                       "folder/a.h5", "b.h5", "--html", "folder/a.html"});
  line.out = "page.html";
  CHECK(report_words(line).back() == "page.html");
}

TEST_CASE("a result that does not exist and a Python that cannot start are errors") {
  CommandLine line;
  line.positional = {"/proc/self/no.h5"};
  CHECK_THROWS_WITH(become_report(line), Catch::Contains("no such file: '/proc/self/no.h5'"));
  line.positional = {"/proc/self/exe"};
  setenv("LIGHTRAIL_PYTHON", "/proc/self/no-python", 1);
  CHECK_THROWS_WITH(become_report(line), Catch::Contains("'/proc/self/no-python' cannot be started") &&
                                             Catch::Contains("LIGHTRAIL_PYTHON names another one"));
}
