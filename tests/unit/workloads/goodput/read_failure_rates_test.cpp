#include "workloads/goodput/read_failure_rates.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "engine/scenario/catalogue.hpp"
#include "engine/scenario/scenario.hpp"
#include "engine/scenario/xml_file.hpp"

using namespace lightrail;

namespace {

std::vector<std::string> texts_of(const ErrorList& errors) {
  std::vector<std::string> texts;
  try {
    errors.throw_if_any();
  } catch (const InputErrors& found) {
    for (const InputError& error : found.errors()) texts.push_back(to_string(error));
  }
  return texts;
}

/// The entry's element; its sources are read, as resolving does.
Element entry(const std::string& name) {
  Element root;
  ErrorList errors;
  REQUIRE(read_xml_file(Catalogue("configs").file_of(name, {}, errors), {}, root, errors));
  static_cast<void>(root.children_named("source"));
  return root;
}

FailureRates rates_of(const Element& element, std::uint32_t gpus, ErrorList& errors) {
  std::vector<DeclaredParameter> parameters;
  return read_failure_rates(element, gpus, parameters, errors);
}

double per_day(const FailureRates& rates) {
  return std::accumulate(rates.categories.begin(), rates.categories.end(), 0.0,
                         [](double sum, const FailureCategory& category) { return sum + category.per_day; });
}

Element element(const char* name, const std::vector<std::pair<std::string, std::string>>& attributes) {
  Element made;
  made.name = name;
  for (const auto& [key, value] : attributes) made.attributes.push_back({key, value, "s.xml", 4, false});
  made.file = "s.xml", made.line = 4;
  return made;
}

}  // namespace

TEST_CASE("every entry of faults is valid, and each kind of figure in it has a source") {
  int found = 0;
  for (const std::string& name : Catalogue("configs").entries()) {
    if (name.rfind("faults/", 0) != 0) continue;
    CAPTURE(name);
    ++found;
    const Element root = entry(name);
    ErrorList errors;
    static_cast<void>(rates_of(root, 8, errors));
    CHECK(texts_of(errors) == std::vector<std::string>{});
    std::string sourced;
    for (const Element* source : root.children_named("source")) {
      sourced += " " + source->find("parameter")->value + " ";
      CHECK(source->find("text")->value.size() > 20);
      CHECK(source->find("kind") != nullptr);
    }
    for (const char* figure : {"node-days", "gpus-per-node", "failures", "replaces-server"})
      CHECK(sourced.find(std::string(" ") + figure + " ") != std::string::npos);
  }
  CHECK(found >= 3);
}

TEST_CASE("RSC-1 fails each 1.8 h with 16,384 GPUs, RSC-2 2.8 times as seldom") {
  ErrorList errors;
  const double rsc_1 = per_day(rates_of(entry("faults/rsc_1"), 16'384, errors));
  CHECK(24 / rsc_1 == Approx(1.8).epsilon(0.01));
  CHECK(rsc_1 == Approx(2048 * 6.50e-3));
  CHECK(per_day(rates_of(entry("faults/rsc_2"), 16'384, errors)) == Approx(2048 * 2.34e-3));
}

TEST_CASE("Llama 3's categories add up to 419 interruptions in 54 days on 16,384 GPUs, one each 3.09 h") {
  ErrorList errors;
  const FailureRates rates = rates_of(entry("faults/llama3_h100"), 16'384, errors);
  CHECK(per_day(rates) * 54 == Approx(419));
  CHECK(24 / per_day(rates) == Approx(3.09).epsilon(0.001));
  CHECK(rates.categories.size() == 18);
  CHECK(rates.categories[0].per_day * 54 == Approx(148));
  CHECK(std::count(rates.found_by.begin(), rates.found_by.end(), FoundBy::watchdog) == 2);
}

TEST_CASE("half as many GPUs fail half as often, also where they do not fill their last server") {
  ErrorList errors;
  CHECK(per_day(rates_of(entry("faults/rsc_1"), 12, errors)) == Approx(1.5 * 6.50e-3));
}

TEST_CASE("categories that are left out do not happen; their names have to be there") {
  Element root = entry("faults/llama3_h100");
  root.attributes.push_back({"without", "software bug, NIC", "s.xml", 4, false});
  ErrorList errors;
  CHECK(per_day(rates_of(root, 16'384, errors)) * 54 == Approx(419 - 54 - 7));
  CHECK(errors.is_empty());
  root.attributes.back().value = "software bugs";
  static_cast<void>(rates_of(root, 16'384, errors));
  REQUIRE(texts_of(errors).size() == 1);
  CHECK(texts_of(errors)[0].rfind(
            "s.xml:4: <failure-rates> attribute 'without': invalid choice 'software bugs' "
            "(one of faulty GPU, ",
            0) == 0);
}

TEST_CASE("rates without a category, and two of one name, are refused") {
  ErrorList errors;
  Element root = element("failure-rates", {});
  static_cast<void>(rates_of(root, 8, errors));
  for (int i = 0; i < 2; ++i)
    root.children.push_back(element("category", {{"name", "NIC"}, {"failures", "1"}}));
  static_cast<void>(rates_of(root, 8, errors));
  CHECK(texts_of(errors) == std::vector<std::string>{"s.xml:4: <failure-rates> needs a <category> at least",
                                                     "s.xml:4: <category> 'NIC' is there twice"});
}
