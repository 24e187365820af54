#include "network/health/read_faults.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/devices.hpp"

using namespace lightrail;

namespace {

Attribute attribute(const char* name, std::string value) {
  return {name, std::move(value), "s.xml", 7, false};
}

HealthTable read(const std::vector<std::vector<Attribute>>& faults, ErrorList& errors,
                 const char* element = "fault", std::uint64_t seed = 1) {
  Element root, all;
  all.name = "faults";
  all.attributes = {attribute("detection", "5 us")};
  for (const auto& attributes : faults) {
    Element fault;
    fault.name = element;
    fault.attributes = attributes;
    all.children.push_back(fault);
  }
  root.children.push_back(all);
  Model made = test::two_nics_on_a_leaf();
  made.seed = seed;
  return read_faults(root, made, errors);
}

std::string first_of(const ErrorList& errors) {
  try {
    errors.throw_if_any();
  } catch (const InputErrors& found) {
    return to_string(found.errors().front());
  }
  return "";
}

/// The message about one fault with this target.
std::string refusal(const std::string& what) {
  ErrorList errors;
  (void)read({{attribute("at", "1 us"), attribute("what", what)}}, errors);
  return first_of(errors);
}

/// Failures every 100 us in the mean, of 10 us.
std::vector<Attribute> rate(const char* what, const char* mtbf_hours = "2.777777777777778e-8",
                            const char* until = "100 ms") {
  return {attribute("what", what), attribute("mtbf-hours", mtbf_hours), attribute("repair", "10 us"),
          attribute("until", until)};
}

}  // namespace

TEST_CASE("a failed device takes down both directions of its cables to others that can fail") {
  ErrorList errors;
  const HealthTable health =
      read({{attribute("at", "1 us"), attribute("for", "2 us"), attribute("what", "nic1")}}, errors);
  CHECK(errors.is_empty());
  for (std::uint32_t link = 0; link < 6; ++link)
    CHECK(health.has_outages(LinkId{link}) == (link == 2 || link == 3));
  CHECK(health.outages(LinkId{2})[0] == Outage{microseconds(1), microseconds(3)});
  CHECK(health.delay(Observer::sender) == microseconds(5));
}

TEST_CASE("a port names the cable behind it, and without an end an outage lasts to the end") {
  ErrorList errors;
  const HealthTable health = read({{attribute("at", "1 us"), attribute("what", "leaf2:1")}}, errors);
  CHECK(errors.is_empty());
  CHECK(health.has_outages(LinkId{4}));
  CHECK(health.outages(LinkId{5})[0].up == time_never);
  CHECK_FALSE(health.has_outages(LinkId{2}));
}

TEST_CASE("what does not exist or cannot fail is refused with file and line") {
  CHECK(refusal("nic9") ==
        "s.xml:7: <fault> attribute 'what': there is no component 'nic9' (did you mean 'nic1'?)");
  CHECK(refusal("box0") ==
        "s.xml:7: <fault> attribute 'what': 'box0' is a box, for which no fault is modelled");
  CHECK(refusal("leaf2:4") == "s.xml:7: <fault> attribute 'what': 'leaf2' has no port '4' (ports 0 to 1)");
  CHECK(refusal("leaf2:") == "s.xml:7: <fault> attribute 'what': 'leaf2' has no port '' (ports 0 to 1)");
  CHECK(refusal("nic1:0") ==
        "s.xml:7: <fault> attribute 'what': no cable that can fail is at port 0 of 'nic1'");
}

TEST_CASE("what is throttled is a GPU") {
  ErrorList errors;
  (void)read({{attribute("at", "1 us"), attribute("speed", "0.5"), attribute("what", "nic1")}}, errors,
             "throttle");
  CHECK(first_of(errors) ==
        "s.xml:7: <throttle> attribute 'what': 'nic1' is no GPU, and no host or NVSwitch with GPUs");
}

TEST_CASE("failures are drawn for each of those that a rate names, by seed") {
  ErrorList errors;
  const HealthTable health = read({rate("nic*")}, errors, "rate"),
                    same = read({rate("nic*")}, errors, "rate"),
                    other = read({rate("nic*")}, errors, "rate", 2);
  CHECK(errors.is_empty());
  const auto of = [](const HealthTable& table, std::uint32_t link) {
    const auto all = table.outages(LinkId{link});
    return std::vector<Outage>(all.begin(), all.end());
  };
  // 100 ms / 110 us = 909 each, with a standard deviation of 30 * 100 / 110.
  CHECK(of(health, 2).size() == Approx(909).margin(110));
  CHECK(of(health, 2) == of(health, 3));
  CHECK(of(health, 2) != of(health, 4));
  CHECK(of(health, 2) == of(same, 2));
  CHECK(of(health, 2) != of(other, 2));
  CHECK_FALSE(health.has_outages(LinkId{0}));
}

TEST_CASE("two rates of one device are independent of each other") {
  ErrorList errors;
  const HealthTable one = read({rate("nic1")}, errors, "rate"),
                    two = read({rate("nic1"), rate("nic1")}, errors, "rate");
  // Nearly as many again: what begins within another outage is one with it.
  CHECK(two.outages(LinkId{2}).size() > one.outages(LinkId{2}).size() * 3 / 2);
  CHECK(errors.is_empty());
}

TEST_CASE("a rate that draws more failures than can be held is refused") {
  ErrorList errors;
  (void)read({rate("nic*", "1e-9", "24 h")}, errors, "rate");
  CHECK_THAT(first_of(errors),
             Catch::Contains("<rate>: about 1.3e+10 failures would be drawn until 86400 s "
                             "(1000000 at most; a greater mtbf-hours, or an earlier until)"));
}

TEST_CASE("a rate names what exists and has a mean") {
  ErrorList errors;
  (void)read({rate("nix*")}, errors, "rate");
  CHECK(first_of(errors) == "s.xml:7: <rate> attribute 'what': 'nix*' fits nothing that can fail");
  ErrorList more;
  (void)read({rate("nic*", "0")}, more, "rate");
  CHECK_THAT(first_of(more), Catch::Contains("s.xml:7: <rate> attribute 'mtbf-hours': '0' is out of range"));
}
