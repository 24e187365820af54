#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "components/ocs/ocs.hpp"

using namespace lightrail;

namespace {

Attribute attribute(const std::string& name, const std::string& value) {
  return {name, value, "ocs.xml", 5};
}

Element at(const std::string& time, const std::string& circuits) {
  Element e;
  e.name = "at";
  e.file = "ocs.xml";
  e.line = 5;
  if (!time.empty()) e.attributes.push_back(attribute("time", time));
  e.attributes.push_back(attribute("circuits", circuits));
  return e;
}

std::vector<std::string> problems(std::vector<Attribute> attributes, std::vector<Element> steps) {
  Element ocs;
  ocs.name = "ocs";
  ocs.attributes = std::move(attributes);
  Element schedule;
  schedule.name = "schedule";
  schedule.children = std::move(steps);
  ocs.children.push_back(schedule);
  ErrorList errors;
  ocs_kind()->make_spec(ocs, errors);
  std::vector<std::string> texts;
  try {
    errors.throw_if_any();
  } catch (const InputErrors& e) {
    for (const InputError& error : e.errors()) texts.push_back(to_string(error));
  }
  return texts;
}

std::string problem_of(const std::string& circuits) {
  CircuitTable table;
  return CircuitTable::parse(circuits, 8, table);
}

}  // namespace

TEST_CASE("a dash joins both directions, an arrow one") {
  CircuitTable table;
  REQUIRE(CircuitTable::parse("0-4 2>6", 8, table) == "");
  CHECK(table.out(0) == 4);
  CHECK(table.out(4) == 0);
  CHECK(table.out(2) == 6);
  CHECK(table.out(6) == CircuitTable::dark);
  CHECK(table.out(99) == CircuitTable::dark);
}

TEST_CASE("impossible circuits are errors that name the ports") {
  CHECK(problem_of("7-7") == "circuit '7-7': port 7 would see its own light");
  CHECK(problem_of("0-8") == "circuit '0-8': port 8 does not exist (0 ... 7)");
  CHECK(problem_of("0-4 0-5") == "circuit '0-5': port 0 sends light to 4 and 5");
  CHECK(problem_of("0>4 1>4") == "circuit '1>4': port 4 gets light from 0 and 1");
  for (const char* word : {"0", "0-", "-3", "a-b", "1--2", "1-2x", "0:4", "99999999999-1"})
    CHECK_THAT(problem_of(word), Catch::Contains(std::string("invalid circuit '") + word + "'") &&
                                     Catch::Contains("0-4 for both directions"));
}

TEST_CASE("a table of random circuits is one to one and as written, or refused") {
  // The oracle: who sends to whom, and whom each port hears, word by word.
  std::minstd_rand random(7);
  int accepted = 0, one_way = 0;
  for (int k = 0; k < 2000; ++k) {
    const auto ports = static_cast<std::uint32_t>(1 + random() % 9);
    std::map<std::uint32_t, std::uint32_t> out, in;
    std::string text;
    bool is_good = true;
    for (auto words = random() % 5; words > 0; --words) {
      const auto a = static_cast<std::uint32_t>(random() % (ports + random() % 2)),
                 b = static_cast<std::uint32_t>(random() % (ports + random() % 2));
      const bool is_both = random() % 2;
      text += std::to_string(a) + (is_both ? "-" : ">") + std::to_string(b) + (random() % 2 ? " " : "  ");
      is_good = is_good && a != b && a < ports && b < ports && out.emplace(a, b).second &&
                in.emplace(b, a).second &&
                (!is_both || (out.emplace(b, a).second && in.emplace(a, b).second));
    }
    CAPTURE(ports, text);
    CircuitTable table;
    CHECK((CircuitTable::parse(text, ports, table) == "") == is_good);
    if (!is_good) continue;
    ++accepted;
    CircuitTable made;  // the same, not parsed
    bool has_one_way = false;
    for (std::uint32_t i = 0; i < ports; ++i) {
      const auto port = static_cast<PortIndex>(i);
      const auto to = out.find(i);
      CHECK(table.out(port) == (to == out.end() ? CircuitTable::dark : to->second));
      made.set(port, table.out(port));
      const auto back = to == out.end() ? out.end() : out.find(to->second);
      has_one_way = has_one_way || (to != out.end() && (back == out.end() || back->second != i));
    }
    CHECK(made == table);
    CHECK((table.one_way_port() != CircuitTable::dark) == has_one_way);
    if (has_one_way) CHECK(table.out(table.out(table.one_way_port())) != table.one_way_port());
    one_way += has_one_way;
  }
  CHECK((accepted > 500 && accepted < 1500 && one_way > 100));
}

TEST_CASE("a schedule is read in order") {
  Element ocs;
  Element schedule;
  schedule.name = "schedule";
  schedule.children = {at("1 ms", "0-4"), at("2500 us", "")};
  ocs.children.push_back(schedule);
  ErrorList errors;
  auto spec = ocs_kind()->make_spec(ocs, errors);
  REQUIRE(errors.is_empty());
  const auto& steps = static_cast<const OcsSpec&>(*spec).schedule;
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].at == milliseconds(1));
  CHECK(steps[0].table.out(4) == 0);
  CHECK(steps[1].at == microseconds(2500));
  CHECK(steps[1].table.out(4) == CircuitTable::dark);
}

TEST_CASE("mistakes of a schedule are errors at their line") {
  auto all = problems(
      {attribute("circuits", "0-400")},
      {at("1 ms", "0-1"), at("1 ms", "0-2"), at("soon", "0-1"), at("", "0-1"), at("9 ms", "0-1 0-2")});
  REQUIRE(all.size() == 5);
  CHECK(all[0] ==
        "ocs.xml:5: <ocs> attribute 'circuits': circuit '0-400': port 400 does not exist (0 ... 319)");
  CHECK(all[1] == "ocs.xml:5: <at> attribute 'time': '1 ms' does not come after 1 ms");
  CHECK_THAT(all[2], Catch::Contains("<at> attribute 'time'") && Catch::Contains("soon"));
  CHECK(all[3] == "ocs.xml:5: <at> lacks the required attribute 'time'");
  CHECK(all[4] == "ocs.xml:5: <at> attribute 'circuits': circuit '0-2': port 0 sends light to 1 and 2");
}

TEST_CASE("a schedule cannot begin before the run") {
  auto all = problems({}, {at("-1 ms", "0-1")});
  REQUIRE(all.size() == 1);
  CHECK_THAT(all[0], Catch::Contains("-1 ms"));
}
