#include "engine/model/tables.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/enumerators.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/program/program.hpp"

using namespace lightrail;

namespace {

const std::vector<std::string>& labels(TableId table, const std::string& column) {
  const auto& columns = table_schemas()[table].columns;
  return std::find_if(columns.begin(), columns.end(), [&](auto& c) { return c.name == column; })->labels;
}

enum class Sparse { first, third = 2 };

}  // namespace

TEST_CASE("the names of an enumeration come from the compiler, and end with its last one") {
  CHECK(enumerator_names<Sparse>() == std::vector<std::string>{"first", "", "third"});
}

TEST_CASE(
    "the labels in the file are the enumerators and algorithms of the program, every one and in their "
    "order") {
  CHECK(labels(tables::ops, "kind") == enumerator_names<OpKind>());
  CHECK(labels(tables::collectives, "collective") == enumerator_names<CollectiveType>());
  CHECK(labels(tables::collectives, "algorithm") == built_in_algorithms().labels());
  CHECK(labels(tables::collectives, "protocol") == enumerator_names<Protocol>());
}

TEST_CASE("a column's name ends in its unit") {
  for (const auto& table : table_schemas())
    for (const auto& column : table.columns) {
      INFO(table.name << "/" << column.name);
      auto ends_in = [&](const std::string& end) {
        return column.name.size() > end.size() && column.name.substr(column.name.size() - end.size()) == end;
      };
      CHECK((column.unit == "ps") == ends_in("_ps"));
      CHECK((column.unit == "B") == ends_in("_bytes"));
    }
}
