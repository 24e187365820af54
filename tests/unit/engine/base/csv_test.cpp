#include "engine/base/csv.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace lightrail;
using Cells = std::vector<std::string>;

TEST_CASE("a field is in quotes where it must be, or always") {
  CHECK(csv_field("tp=4 pp=2") == "tp=4 pp=2");
  CHECK(csv_field("2,4") == "\"2,4\"");
  CHECK(csv_field("a \"b\"") == "\"a \"\"b\"\"\"");
  CHECK(csv_field("two\nlines") == "\"two\nlines\"");
  CHECK(csv_quoted("tp=4") == "\"tp=4\"");
  CHECK(csv_quoted("") == "\"\"");
}

TEST_CASE("cells are parted at commas outside of quotes") {
  CHECK(csv_cells("a,b ,c") == Cells{"a", "b ", "c"});
  CHECK(csv_cells("\"0-3,8\",x") == Cells{"0-3,8", "x"});
  CHECK(csv_cells(",") == Cells{"", ""});
  CHECK(csv_cells("") == Cells{""});
}
