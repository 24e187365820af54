#include "network/wire/phase.hpp"

#include <catch2/catch.hpp>

#include "tests/support/enumerators.hpp"

using namespace lightrail;

TEST_CASE("the labels of phases are the enumerators, every one and in their order") {
  CHECK(phase_labels() == enumerator_names<Phase>());
}

TEST_CASE("connections of I/O, of keys and values and of users are of no group") {
  int of_none = 0;
  for (std::size_t i = 0; i < phase_labels().size(); ++i)
    of_none += is_of_group(static_cast<Phase>(i)) ? 0 : 1;
  CHECK(of_none == 6);
  CHECK(is_of_group(Phase::point_clear));
  CHECK_FALSE(is_of_group(Phase::io_request));
  CHECK_FALSE(is_of_group(Phase::io_done));
  CHECK(is_of_group(Phase::tree_up));
  CHECK_FALSE(is_of_group(Phase::kv));
  CHECK_FALSE(is_of_group(Phase::users));
}
