#include "workloads/program/labels.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/enumerators.hpp"
#include "workloads/program/program.hpp"

using namespace lightrail;

namespace {

enum class Sparse { first, third = 2 };

}  // namespace

TEST_CASE("the names of an enumeration come from the compiler, and end with its last one") {
  CHECK(enumerator_names<Sparse>() == std::vector<std::string>{"first", "", "third"});
}

TEST_CASE("a table's labels are the enumerators, every one and in their order") {
  CHECK(operation_labels() == enumerator_names<OpKind>());
  CHECK(collective_labels() == enumerator_names<CollectiveType>());
  CHECK(protocol_labels() == enumerator_names<Protocol>());
}
