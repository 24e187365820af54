#include <catch2/catch.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/enumerators.hpp"
#include "workloads/job/operation_names.hpp"

using namespace lightrail;

namespace {

/// The names of a table, which must be in the order of the enumerators.
template <class Enum>
std::vector<std::string> names_in_order(const std::vector<std::pair<std::string, Enum>>& table) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < table.size(); ++i) {
    CHECK(static_cast<std::size_t>(table[i].second) == i);
    names.push_back(table[i].first);
  }
  return names;
}

}  // namespace

TEST_CASE("every scaling has its own name") {
  CHECK(names_in_order(scaling_names()) == enumerator_names<Scaling>());
}
