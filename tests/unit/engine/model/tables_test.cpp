#include "engine/model/serving_tables.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace lightrail;

TEST_CASE("a table's id is its place in the list") {
  const auto& all = table_schemas();
  CHECK(all.at(tables::ops).name == "ops");
  CHECK(all.at(tables::link_use).name == "link_use");
  CHECK(all.at(tables::steps).name == "steps");
  CHECK(all.at(tables::traffic_matrix).name == "traffic_matrix");
  CHECK(all.at(tables::requests).name == "requests");
  CHECK(all.at(tables::batches).name == "batches");
  CHECK(all.size() == tables::count);
}

TEST_CASE("every column has a unit, and its name says it") {
  std::set<std::string> names;
  for (const auto& table : table_schemas()) {
    CHECK(names.insert(table.name).second);
    for (const auto& column : table.columns) {
      INFO(table.name << "." << column.name);
      CHECK_FALSE(column.unit.empty());
      const auto ends_in = [&](const std::string& tail) {
        return column.name.size() > tail.size() &&
               column.name.compare(column.name.size() - tail.size(), tail.size(), tail) == 0;
      };
      CHECK(ends_in("_ps") == (column.unit == "ps"));
      CHECK(ends_in("_bytes") == (column.unit == "B"));
    }
  }
}
