#include "network/port/pause/pause_spec.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

using namespace lightrail;

namespace {

/// What is wrong with an element that says so, of a device with `lanes` and 1 MB; "": nothing.
std::string problem(const PauseSpec& spec, std::uint32_t lanes) {
  Element element;
  element.name = "nic";
  ErrorList errors;
  check_pauses(element, spec, lanes, Bytes{1'000'000}, errors);
  try {
    errors.throw_if_any();
  } catch (const InputErrors& e) {
    return e.errors().front().what;
  }
  return "";
}

}  // namespace

TEST_CASE("classes are a list, none of them beyond the lanes") {
  CHECK(pause_settings({.lossless = "0"}, 2, Bytes{1}).lossless == 0b1);
  CHECK(pause_settings({.lossless = "0,3"}, 4, Bytes{1}).lossless == 0b1001);
  CHECK(pause_settings({.lossless = "none"}, 4, Bytes{1}).lossless == 0);
  CHECK(problem({.lossless = "0,1"}, 2).empty());
  CHECK(problem({.lossless = "2"}, 2) ==
        "<nic> attribute 'lossless': there is no class 2: the device has 2 lanes");
  CHECK(problem({.lossless = "1"}, 1) ==
        "<nic> attribute 'lossless': there is no class 1: the device has 1 lane");
  CHECK(problem({.lossless = "0,"}, 2) ==
        "<nic> attribute 'lossless': '0,' is no list of classes (0, or 0,3, or none)");
}

TEST_CASE("headroom and reserves of a port are within the buffer") {
  const PauseSpec spec{.lossless = "0,1", .class_reserve = Bytes{100'000}, .headroom = Bytes{350'000}};
  CHECK(problem(spec, 3).empty());  // 2 x 350,000 and 3 x 100,000
  CHECK(problem(spec, 4) ==
        "<nic> attribute 'buffer': 1 MB does not hold the headroom and the reserves of one port (1.1 MB)");
}

TEST_CASE("alpha is a multiple of 1/1024") {
  CHECK(pause_settings({.alpha = 0.125}, 1, Bytes{1}).alpha == 128);
  CHECK(pause_settings({.alpha = 4}, 1, Bytes{1}).alpha == 4096);
}
