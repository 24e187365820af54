#include "network/port/pause/watchdog_spec.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace lightrail;

namespace {

Element element_with(const std::vector<std::vector<std::pair<std::string, std::string>>>& watchdogs) {
  Element device;
  device.name = "ethernet-switch";
  std::int32_t line = 3;
  for (const auto& attributes : watchdogs) {
    Element one;
    one.name = "watchdog", one.file = "s.xml", one.line = line++;
    for (const auto& [name, value] : attributes) {
      Attribute attribute;
      attribute.name = name, attribute.value = value, attribute.file = "s.xml", attribute.line = one.line;
      one.attributes.push_back(attribute);
    }
    device.children.push_back(one);
  }
  return device;
}

}  // namespace

TEST_CASE("a watchdog waits 200 ms and drops, unless it says otherwise, and knows where it stands") {
  ErrorList errors;
  const auto all = read_watchdogs(
      element_with({{}, {{"lane", "1"}, {"detect", "1 ms"}, {"restore", "2 ms"}, {"action", "forward"}}}), 2,
      3, errors);
  REQUIRE(errors.is_empty());
  REQUIRE(all.size() == 2);
  CHECK(watchdog_text(all[0]) == "drop after 200 ms, until 200 ms without a pause");
  CHECK(watchdog_text(all[1]) == "forward after 1 ms, until 2 ms without a pause");
  CHECK(all[1].at.file == "s.xml");
  CHECK(all[1].at.line == 4);
  const PauseSettings settings = watched({}, all);
  CHECK(settings.watchdogs[0].detect == milliseconds(200));
  CHECK(settings.watchdogs[1].restore == milliseconds(2));
  CHECK(settings.watchdogs[1].action == StormAction::forward);
  CHECK(settings.watchdogs[2].detect == SimTime{0});
}

TEST_CASE("a watchdog of a class that nothing pauses is refused") {
  ErrorList errors;
  static_cast<void>(read_watchdogs(element_with({{{"lane", "1"}}}), 2, 1, errors));
  CHECK_THROWS_WITH(errors.throw_if_any(),
                    Catch::Contains("s.xml:3: <watchdog>: class 1 is not lossless: nothing pauses it"));
}
