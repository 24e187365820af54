#include "engine/model/tables.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "workloads/program/program.hpp"

using namespace lightrail;

namespace {

const std::vector<std::string>& labels(TableId table, const std::string& column) {
  const auto& columns = table_schemas()[table].columns;
  return std::find_if(columns.begin(), columns.end(), [&](auto& c) { return c.name == column; })->labels;
}

template <class Enum>
std::string label(TableId table, const std::string& column, Enum value) {
  return labels(table, column).at(static_cast<std::size_t>(value));
}

}  // namespace

TEST_CASE("the labels in the file are the enumerators of the program") {
  CHECK(label(tables::ops, "kind", OpKind::compute) == "compute");
  CHECK(label(tables::ops, "kind", OpKind::storage_write) == "storage_write");
  CHECK(label(tables::ops, "kind", OpKind::marker) == "marker");
  CHECK(labels(tables::ops, "kind").size() == static_cast<std::size_t>(OpKind::marker) + 1);
  CHECK(label(tables::collectives, "collective", CollectiveType::all_reduce) == "all_reduce");
  CHECK(label(tables::collectives, "collective", CollectiveType::barrier) == "barrier");
  CHECK(label(tables::collectives, "algorithm", Algorithm::ring) == "ring");
  CHECK(label(tables::collectives, "algorithm", Algorithm::hierarchical) == "hierarchical");
  CHECK(label(tables::collectives, "algorithm", Algorithm::deepep_low_latency) == "deepep_low_latency");
  CHECK(label(tables::collectives, "algorithm", Algorithm::collnet) == "collnet");
  CHECK(label(tables::collectives, "protocol", Protocol::simple) == "simple");
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
