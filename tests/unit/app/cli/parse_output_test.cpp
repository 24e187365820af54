#include "app/cli/parse_output.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "components/built_in_tables.hpp"
#include "components/gpu/tables.hpp"
#include "components/storage/tables.hpp"
#include "network/port/tables.hpp"
#include "network/transport/tables.hpp"
#include "workloads/collective/algorithm_registry.hpp"

using namespace lightrail;

namespace {

/// Two servers of 8 GPUs, a host each, and one storage server: endpoints 0-15, 16-17, 18.
AddressBook two_servers() {
  AddressBook book;
  book.gpu_count = 16;
  for (std::uint32_t i = 0; i < 16; ++i)
    book.endpoints.push_back({i / 8, Lid{i}, static_cast<std::uint16_t>(i % 8), 0});
  for (std::uint32_t server : {0u, 1u, 2u}) book.endpoints.push_back({server, Lid{}, 0, 0});
  return book;
}

TableRegistry declared_tables() {
  return built_in_tables(built_in_algorithms());
}

Element element(const std::string& name, std::vector<std::pair<std::string, std::string>> attributes,
                int line) {
  Element e;
  e.name = name;
  e.file = "run.xml";
  e.line = line;
  for (auto& [key, value] : attributes) e.attributes.push_back({key, value, "run.xml", line});
  return e;
}

OutputSelection parse(std::vector<std::pair<std::string, std::string>> table) {
  Element output = element("output", {{"file", "a.h5"}, {"interval", "5 ms"}}, 3);
  output.children.push_back(element("table", table, 4));
  ErrorList errors;
  OutputSelection selection = parse_output(&output, two_servers(), declared_tables(), errors);
  errors.throw_if_any();
  return selection;
}

std::string complaint(const Element& output) {
  ErrorList errors;
  (void)parse_output(&output, two_servers(), declared_tables(), errors);
  try {
    errors.throw_if_any();
  } catch (const InputErrors& e) {
    REQUIRE(e.errors().size() == 1);
    return to_string(e.errors()[0]);
  }
  return "none";
}

std::string table_complaint(std::vector<std::pair<std::string, std::string>> table) {
  Element output = element("output", {}, 3);
  output.children.push_back(element("table", table, 4));
  return complaint(output);
}

}  // namespace

TEST_CASE("without <output> operations are recorded for the first 8 GPUs, steps and traffic for all") {
  ErrorList errors;
  OutputSelection selection = parse_output(nullptr, two_servers(), declared_tables(), errors);
  CHECK(errors.is_empty());
  CHECK(selection.interval == milliseconds(100));
  CHECK(selection.file.empty());
  for (TableId table : {tables::ops, tables::messages, tables::collectives, tables::traffic_matrix}) {
    CHECK(selection.is_recorded(table, EndpointId{7}));
    CHECK_FALSE(selection.is_recorded(table, EndpointId{8}));
    CHECK(selection.is_recorded(table, EndpointId{16}));        // the first server's host
    CHECK_FALSE(selection.is_recorded(table, EndpointId{17}));  // the second's
    CHECK_FALSE(selection.is_recorded(table, EndpointId{18}));
  }
  CHECK(selection.is_recorded(tables::steps, EndpointId{15}));
  CHECK(selection.is_recorded(tables::traffic, EndpointId{15}));
  CHECK(selection.is_recorded(tables::link_use));
  CHECK_FALSE(selection.is_recorded(tables::link_traffic));
}

TEST_CASE("a table that is recorded on request is recorded where it is named") {
  CHECK(parse({{"name", "link_traffic"}}).is_recorded(tables::link_traffic));
  CHECK_FALSE(parse({{"name", "link_traffic"}, {"record", "off"}}).is_recorded(tables::link_traffic));
}

TEST_CASE("a table names the GPUs that it is recorded for; other tables keep their defaults") {
  OutputSelection selection = parse({{"name", "ops"}, {"gpus", "0-1,12"}});
  CHECK(selection.file == "a.h5");
  CHECK(selection.interval == milliseconds(5));
  for (std::uint32_t id = 0; id < 19; ++id)
    CHECK(selection.is_recorded(tables::ops, EndpointId{id}) ==
          (id <= 1 || id == 12 || id == 16 || id == 17));
  CHECK(selection.is_recorded(tables::messages, EndpointId{7}));
}

TEST_CASE("all means every endpoint, storage servers too") {
  OutputSelection selection = parse({{"name", "messages"}, {"gpus", "all"}});
  for (std::uint32_t id = 0; id < 19; ++id) CHECK(selection.is_recorded(tables::messages, EndpointId{id}));
}

TEST_CASE("a table can be switched off") {
  CHECK_FALSE(parse({{"name", "link_use"}, {"record", "off"}}).is_recorded(tables::link_use));
  CHECK_FALSE(parse({{"name", "ops"}, {"record", "off"}}).is_recorded(tables::ops, EndpointId{0}));
}

TEST_CASE("a table that a plugin declares is chosen like the others") {
  TableRegistry tables = declared_tables();
  const TableId rallies = tables.add({"rallies", {{"hits", ColumnType::int64, "1", ""}}, ""});
  Element output = element("output", {}, 3);
  ErrorList errors;
  CHECK(parse_output(&output, two_servers(), tables, errors).is_recorded(rallies));
  output.children.push_back(element("table", {{"name", "rallies"}, {"record", "off"}}, 4));
  CHECK_FALSE(parse_output(&output, two_servers(), tables, errors).is_recorded(rallies));
  CHECK(errors.is_empty());
}

TEST_CASE("a scenario without GPUs records its storage") {
  ErrorList errors;
  OutputSelection selection = parse_output(nullptr, AddressBook{}, declared_tables(), errors);
  CHECK(selection.is_recorded(tables::storage));
  CHECK_FALSE(selection.is_recorded(tables::ops, EndpointId{0}));
}

TEST_CASE("mistakes in <output> name the line, the value and the valid choices") {
  CHECK(
      table_complaint({{"name", "opps"}}) ==
      "run.xml:4: <table> attribute 'name': invalid choice 'opps' (one of ops, messages, collectives, "
      "link_use, queue, ocs, storage, power, traffic, steps, traffic_matrix, requests, batches, exposed, "
      "link_traffic, stepped_over, pause, buffer, ecn, repair, trim, storms, discarded, restarts, recalled; "
      "did you mean 'ops'?)");
  CHECK(table_complaint({{"gpus", "0"}}) == "run.xml:4: <table> lacks the required attribute 'name'");
  CHECK(table_complaint({{"name", "ops"}, {"gpus", "0-"}}) ==
        "run.xml:4: <table> attribute 'gpus': invalid GPU list '0-' (expected numbers and ranges: 0-7,16; or "
        "all)");
  CHECK(table_complaint({{"name", "ops"}, {"gpus", "7-0"}}) ==
        "run.xml:4: <table> attribute 'gpus': invalid GPU list '7-0' (expected numbers and ranges: 0-7,16; "
        "or all)");
  CHECK(table_complaint({{"name", "ops"}, {"gpus", "16"}}) ==
        "run.xml:4: <table> attribute 'gpus': GPU 16 does not exist (the scenario has 16 GPUs)");
  CHECK(table_complaint({{"name", "link_use"}, {"gpus", "0"}}) ==
        "run.xml:4: <table> attribute 'gpus': table 'link_use' does not belong to GPUs (use record=\"on\" or "
        "\"off\")");
  CHECK(complaint(element("output", {{"interval", "1 ns"}}, 3)) ==
        "run.xml:3: <output> attribute 'interval': '1 ns' is out of range (at least 1 us)");
  Element twice = element("output", {}, 3);
  twice.children = {element("table", {{"name", "ops"}}, 4), element("table", {{"name", "ops"}}, 5)};
  CHECK(complaint(twice) == "run.xml:5: <table> attribute 'name': table 'ops' is given twice");
}
