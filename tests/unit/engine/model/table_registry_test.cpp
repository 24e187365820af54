#include "engine/model/table_registry.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/model/model.hpp"

using namespace lightrail;

namespace {

constexpr auto i64 = ColumnType::int64;

TableSchema rallies() {
  return {"rallies", {{"hits", i64, "1", "of both"}, {"t_start_ps", i64, "ps", "serve"}}, "one row a rally"};
}

TableSchema with_column(const std::string& name, const std::string& unit) {
  return {"rallies", {{name, i64, unit, ""}}, ""};
}

template <class Step>
std::string refusal(Step&& step) {
  try {
    step();
  } catch (const InputErrors& e) {
    return e.errors().at(0).what;
  }
  return "none";
}

std::string refusal_of(TableSchema schema) {
  TableRegistry tables;
  return refusal([&] { tables.add(std::move(schema)); });
}

}  // namespace

TEST_CASE("a table's id is its place, and its name finds it") {
  TableRegistry tables;
  CHECK(tables.add(rallies()) == 0);
  CHECK(tables.add({"balls", {{"size_bytes", i64, "B", ""}}, ""}) == 1);
  CHECK(tables.find("balls") == TableId{1});
  CHECK(tables.id("rallies") == 0);
  CHECK(tables[1].columns.at(0).unit == "B");
  CHECK(tables.names() == std::vector<std::string>{"rallies", "balls"});
  CHECK_FALSE(tables.find("ball"));
}

TEST_CASE("a table that nobody has declared is refused with those that there are") {
  CHECK(refusal([] { (void)TableRegistry().id("balls"); }) ==
        "table 'balls' is declared nowhere, and there is no other one");
  TableRegistry tables;
  tables.add(rallies());
  Model model;
  model.tables = std::make_shared<const TableRegistry>(tables);
  CHECK(model.table("rallies") == 0);
  CHECK(refusal([&] { (void)model.table("balls"); }) ==
        "table 'balls' is declared nowhere (there are rallies)");
}

TEST_CASE("a table has a name of its own that a folder of the result can have") {
  TableRegistry tables;
  tables.add(rallies());
  CHECK(refusal([&] { tables.add(rallies()); }) == "table 'rallies' is declared twice");
  CHECK(tables.size() == 1);
  for (const char* name : {"", "Rallies", "2nd", "long rallies", "rallies/long", "..", "rallies.long"}) {
    TableSchema schema = rallies();
    schema.name = name;
    CHECK(refusal_of(schema) == "table '" + std::string(name) +
                                    "' has no valid name (expected lower-case letters, digits and "
                                    "underscores, a letter first)");
  }
  CHECK(refusal_of({"rallies", {}, ""}) == "table 'rallies' has no columns");
}

TEST_CASE("a column's name ends as its unit says") {
  for (const auto& [name, unit] : {std::pair{"t_end_ps", "ps"},
                                   {"size_bytes", "B"},
                                   {"energy_pj", "pJ"},
                                   {"rate_bytes_per_s", "B/s"},
                                   {"rate_bit_per_s", "bit/s"},
                                   {"level_dbm", "dBm"},
                                   {"hits", "1"}})
    CHECK(refusal_of(with_column(name, unit)) == "none");
  CHECK(refusal_of(with_column("t_end", "ps")) ==
        "table 'rallies' column 't_end' has the unit 'ps', so its name must end in '_ps'");
  CHECK(refusal_of(with_column("ps", "ps")) ==
        "table 'rallies' column 'ps' has the unit 'ps', so its name must end in '_ps'");
  CHECK(refusal_of(with_column("rate_bit_per_s", "B/s")) ==
        "table 'rallies' column 'rate_bit_per_s' has the unit 'B/s', so its name must end in '_bytes_per_s'");
  CHECK(refusal_of(with_column("t_end_ps", "1")) ==
        "table 'rallies' column 't_end_ps' has the unit '1', but its name ends as one of unit 'ps'");
  CHECK(refusal_of(with_column("hits", "")) ==
        "table 'rallies' column 'hits' has the unit '' (expected letters, as ps, B or B/s, or 1)");
}

TEST_CASE("columns have names of their own") {
  TableSchema twice = rallies();
  twice.columns.push_back(twice.columns[0]);
  CHECK(refusal_of(twice) == "table 'rallies' column 'hits' is declared twice");
  CHECK(refusal_of(with_column("component", "1")) ==
        "table 'rallies' column 'component' has the name of the column that every table begins with");
  CHECK(refusal_of(with_column("Hits", "1")) ==
        "table 'rallies' column 'Hits' has no valid name (expected lower-case letters, digits and "
        "underscores, a letter first)");
}

TEST_CASE("labels belong to a column of integers") {
  TableRegistry tables;
  tables.add({"rallies", {{"side", i64, "1", ""}, {"spin", ColumnType::float64, "1", ""}}, ""});
  tables.set_labels("rallies", "side", {"left", "right"});
  CHECK(tables[0].columns[0].labels == std::vector<std::string>{"left", "right"});
  CHECK(refusal([&] { tables.set_labels("rallies", "hand", {}); }) == "table 'rallies' has no column 'hand'");
  CHECK(refusal([&] { tables.set_labels("rallies", "spin", {}); }) ==
        "table 'rallies' column 'spin' has no integers to be labelled");
  CHECK(refusal([&] { tables.set_labels("balls", "hand", {}); }) ==
        "table 'balls' is declared nowhere (there are rallies)");
}
