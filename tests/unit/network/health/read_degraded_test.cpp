#include "network/health/read_degraded.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/devices.hpp"

using namespace lightrail;

namespace {

using Attributes = std::vector<std::pair<const char*, const char*>>;

/// Of <degrade>s with these attributes.
std::vector<DegradedLinks> read(const std::vector<Attributes>& degrades, ErrorList& errors) {
  Element root, faults;
  faults.name = "faults";
  for (const Attributes& attributes : degrades) {
    Element degrade;
    degrade.name = "degrade";
    degrade.file = "s.xml";
    degrade.line = 7;
    for (const auto& [name, value] : attributes)
      degrade.attributes.push_back({name, value, "s.xml", 7, false});
    faults.children.push_back(degrade);
  }
  root.children.push_back(faults);
  return read_degraded(root, test::two_nics_on_a_leaf(), errors);
}

/// Every degraded link once, in the order of the classes they come from.
std::vector<LinkId> links(const Attributes& attributes) {
  ErrorList errors;
  std::vector<LinkId> all;
  for (const DegradedLinks& degraded : read({attributes}, errors))
    all.insert(all.end(), degraded.links.begin(), degraded.links.end());
  CHECK(errors.is_empty());
  std::sort(all.begin(), all.end());
  return all;
}

std::string refusal(const std::vector<Attributes>& degrades) {
  ErrorList errors;
  CHECK(read(degrades, errors).size() < degrades.size());
  try {
    errors.throw_if_any();
  } catch (const InputErrors& found) {
    return to_string(found.errors().front());
  }
  return "";
}

LinkClass one(const Attributes& attributes) {
  ErrorList errors;
  const auto all = read({attributes}, errors);
  REQUIRE(errors.is_empty());
  REQUIRE(!all.empty());
  return all.front().now;
}

}  // namespace

TEST_CASE("a degraded cable is named by either end, one way or both, by * or by its device") {
  using Links = std::vector<LinkId>;
  CHECK(links({{"link", "nic1:1"}, {"rate", "0.5"}}) == Links{LinkId{2}, LinkId{3}});
  CHECK(links({{"link", "leaf2:0"}, {"rate", "0.5"}}) == Links{LinkId{2}, LinkId{3}});
  CHECK(links({{"link", "nic1:1"}, {"rate", "0.5"}, {"direction", "out"}}) == Links{LinkId{2}});
  CHECK(links({{"link", "nic1:1"}, {"rate", "0.5"}, {"direction", "in"}}) == Links{LinkId{3}});
  CHECK(links({{"link", "leaf2:*"}, {"rate", "0.5"}, {"direction", "out"}}) == Links{LinkId{3}, LinkId{5}});
  CHECK(links({{"link", "nic*"}, {"rate", "0.5"}, {"direction", "out"}}) == Links{LinkId{2}, LinkId{4}});
}

TEST_CASE("what is degraded: a share of the rate or a rate, a latency more, codewords that fail") {
  CHECK(one({{"link", "nic3:0"}, {"rate", "0.25"}}).rate == BitRate{100'000'000'000});
  CHECK(one({{"link", "nic3:0"}, {"rate", "50 Gb/s"}}).rate == BitRate{50'000'000'000});
  const LinkClass late = one({{"link", "nic3:0"}, {"latency", "2 us"}, {"errors", "1e-4"}});
  CHECK(late.latency == nanoseconds(2100));
  CHECK(late.rate == BitRate{400'000'000'000});
  CHECK(late.light.codeword_failure == 1e-4);
  CHECK(late.light.codeword_bytes == 640);
}

TEST_CASE("without <degrade> nothing is looked up") {
  ErrorList errors;
  CHECK(read({}, errors).empty());
}

TEST_CASE("a degraded link that cannot be is refused with what is wrong") {
  const std::string at = "s.xml:7: <degrade> attribute ";
  CHECK(refusal({{{"link", "nic3:0"}}}) ==
        "s.xml:7: <degrade> changes nothing (expected rate, latency or errors)");
  CHECK(refusal({{{"link", "nic9"}, {"rate", "0.5"}}}) ==
        at + "'link': there is no component 'nic9' (did you mean 'nic1'?)");
  CHECK(refusal({{{"link", "nic3:0"}, {"rate", "1.5"}}}) ==
        at + "'rate': '1.5' is neither a share above 0 and at most 1 nor a rate, such as 100 Gb/s");
  CHECK(refusal({{{"link", "nic3:0"}, {"rate", "800 Gb/s"}}}) ==
        at + "'rate': '800 Gb/s' is more than the 400 Gb/s of nic3:0");
  CHECK_THAT(refusal({{{"link", "nic3:0"}, {"errors", "0.9"}}}),
             Catch::Contains("would fail on nic3:0 (90 % at most)"));
  CHECK(refusal({{{"link", "nic3:0"}, {"rate", "0.5"}}, {{"link", "leaf2:*"}, {"rate", "0.5"}}}) ==
        at + "'link': nic3:0 is degraded twice");
}
