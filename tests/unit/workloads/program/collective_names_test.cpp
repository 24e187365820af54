#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/enumerators.hpp"
#include "workloads/program/collective_names.hpp"

using namespace lightrail;

namespace {

std::string with_hyphens(std::string text) {
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

}  // namespace

TEST_CASE("every collective is listed under its enumerator's name, 'none' is not") {
  std::vector<std::string> expected;
  for (const std::string& name : enumerator_names<CollectiveType>()) expected.push_back(with_hyphens(name));
  REQUIRE(expected.front() == "none");
  expected.erase(expected.begin());
  REQUIRE(collective_names().size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& [name, type] = collective_names()[i];
    CHECK(name == expected[i]);
    CHECK(static_cast<std::size_t>(type) == i + 1);
    CHECK(collective_name(type) == name);
  }
  CHECK(collective_name(CollectiveType::none) == "none");
}

TEST_CASE("every protocol of NCCL is listed under its enumerator's name, the first as 'auto'") {
  std::vector<std::string> enumerators = enumerator_names<Protocol>();
  CHECK(enumerators.back() == "bare");  // no choice: importers alone give it to sends and receives
  CHECK(protocol_name(Protocol::bare) == "bare");
  enumerators.pop_back();
  REQUIRE(protocol_names().size() == enumerators.size());
  CHECK(enumerators[0] == "auto_select");
  CHECK(protocol_names()[0].first == "auto");
  for (std::size_t i = 1; i < enumerators.size(); ++i) {
    CHECK(protocol_names()[i].first == enumerators[i]);
    CHECK(static_cast<std::size_t>(protocol_names()[i].second) == i);
  }
}

TEST_CASE("nccl-tests writes its names with underscores") {
  CHECK(nccl_tests_name(CollectiveType::reduce_scatter) == "reduce_scatter");
  CHECK(nccl_tests_name(CollectiveType::broadcast) == "broadcast");
}
