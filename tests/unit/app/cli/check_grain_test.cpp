#include "app/cli/check_grain.hpp"

#include <catch2/catch.hpp>
#include <utility>

using namespace lightrail;

TEST_CASE("the longest trains of a model, those of NVLink apart") {
  Model model;
  CHECK(longest_trains(model).fabric == 1);
  for (const auto& [medium, grain] : {std::pair{"nvlink", 32u}, {"electrical", 12u}, {"optical", 8u}}) {
    LinkClass link;
    link.medium = medium;
    link.grain = grain;
    model.link_classes.push_back(link);
  }
  CHECK(longest_trains(model).fabric == 12);
  CHECK(longest_trains(model).nvlink == 32);
}
