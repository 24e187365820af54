#include "workloads/program/groups.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"

using namespace lightrail;
using Catch::Contains;

namespace {

std::string error_of(GroupKind kind, std::uint32_t gpus) {
  GroupTable table;
  try {
    table.add(std::move(kind), gpus);
  } catch (const InputErrors& e) {
    return e.errors().at(0).what;
  }
  return "";
}

std::vector<EndpointId> ids(std::initializer_list<std::uint32_t> values) {
  std::vector<EndpointId> all;
  for (auto v : values) all.emplace_back(v);
  return all;
}

/// member(my_index) is the GPU itself, every member sees the same list, and every GPU has a group.
void check_tiling(const GroupTable& table, GroupKindId kind, std::uint32_t gpus) {
  for (std::uint32_t g = 0; g < gpus; ++g) {
    const GroupView mine = table.group_of(kind, EndpointId{g});
    REQUIRE(mine.member(mine.my_index) == EndpointId{g});
    std::set<std::uint32_t> distinct;
    for (std::uint32_t i = 0; i < mine.size; ++i) {
      const EndpointId other = mine.member(i);
      REQUIRE(other.value < gpus);
      distinct.insert(other.value);
      const GroupView theirs = table.group_of(kind, other);
      REQUIRE(theirs.my_index == i);
      REQUIRE(theirs.base == mine.base);
      REQUIRE(theirs.size == mine.size);
    }
    REQUIRE(distinct.size() == mine.size);
  }
}

}  // namespace

TEST_CASE("a regular group counts its first digit fastest") {
  GroupTable table;
  const auto kind = table.add({"ep", {{2, 4}, {3, 8}}, {}}, 24);
  const GroupView view = table.group_of(kind, EndpointId{13});  // 13 = 1 + 1 * 4 + 1 * 8
  CHECK(view.base == EndpointId{1});
  CHECK(view.size == 6);
  CHECK(view.my_index == 1 + 1 * 2);
  CHECK(view.member(0) == EndpointId{1});
  CHECK(view.member(1) == EndpointId{5});
  CHECK(view.member(2) == EndpointId{9});
  CHECK(view.member(5) == EndpointId{21});
}

TEST_CASE("regular groups tile the GPUs whatever the order of their digits") {
  GroupTable table;
  check_tiling(table, table.add({"tp", {{8, 1}}, {}}, 48), 48);
  check_tiling(table, table.add({"dp", {{6, 8}}, {}}, 48), 48);
  check_tiling(table, table.add({"rows", {{3, 16}, {4, 2}}, {}}, 48), 48);
  check_tiling(table, table.add({"three", {{2, 1}, {3, 2}, {2, 12}}, {}}, 48), 48);
  check_tiling(table, table.add({"alone", {{1, 5}}, {}}, 48), 48);
  CHECK(table.kind_count() == 5);
  CHECK(table.find("rows") == GroupKindId{2});
  CHECK_FALSE(table.find("row").is_valid());
}

TEST_CASE("a listed group keeps the listed order and leaves other GPUs without a group") {
  GroupTable table;
  const auto kind = table.add({"pg", {}, {ids({3, 1}), ids({0, 4, 2})}}, 6);
  const GroupView view = table.group_of(kind, EndpointId{4});
  CHECK(view.size == 3);
  CHECK(view.my_index == 1);
  CHECK(view.member(2) == EndpointId{2});
  CHECK(table.group_of(kind, EndpointId{3}).my_index == 0);
  CHECK(table.group_of(kind, EndpointId{5}).size == 0);
  CHECK(table.group_of(kind, EndpointId{77}).size == 0);
}

TEST_CASE("a GPU in two groups is refused") {
  CHECK(error_of({"pg", {}, {ids({0, 1}), ids({1, 2})}}, 4) ==
        "group 'pg': gpu 1 is in two groups (lists 0 and 1)");
  CHECK(error_of({"pg", {}, {ids({2, 2})}}, 4) == "group 'pg': gpu 2 is in two groups (lists 0 and 0)");
  CHECK(
      error_of({"tp", {{4, 2}, {3, 4}}, {}}, 24) ==
      "group 'tp': a GPU would be in two groups (count 3, stride 4 is no multiple of the 8 GPUs inside it)");
  CHECK(error_of({"tp", {{4, 0}}, {}}, 24) ==
        "group 'tp': a GPU would be in a group twice (count 4, stride 0)");
}

TEST_CASE("a stride that leaves the GPUs is refused") {
  CHECK(error_of({"dp", {{4, 8}}, {}}, 24) ==
        "group 'dp': count 4, stride 8 leaves the 24 GPUs (32 does not divide them)");
  CHECK_THAT(error_of({"dp", {{5, 1}}, {}}, 24), Contains("(5 does not divide them)"));
  CHECK_THAT(error_of({"dp", {{4000000000u, 4000000000u}}, {}}, 24), Contains("leaves the 24 GPUs"));
  CHECK(error_of({"pg", {}, {ids({0, 9})}}, 4) == "group 'pg': gpu 9 does not exist (the job has 4 GPUs)");
}

TEST_CASE("an empty group is refused") {
  CHECK(error_of({"tp", {{0, 1}}, {}}, 8) == "group 'tp': an empty group (count 0, stride 1)");
  CHECK(error_of({"pg", {}, {ids({0}), {}}}, 8) == "group 'pg': an empty group (list 1)");
  CHECK(error_of({"pg", {}, {}}, 8) == "group 'pg': has no members");
}

TEST_CASE("a group has a name of its own, three digits at most, and 255 kinds are the limit") {
  GroupTable table;
  table.add({"tp", {{8, 1}}, {}}, 8);
  CHECK_THROWS_WITH(table.add({"tp", {{2, 1}}, {}}, 8), Contains("group 'tp': declared twice"));
  CHECK(error_of({"x", {{1, 1}, {1, 1}, {1, 1}, {1, 1}}, {}}, 8) == "group 'x': 4 digits (at most 3)");
  for (int i = 1; i < 255; ++i) table.add({"g" + std::to_string(i), {{8, 1}}, {}}, 8);
  CHECK_THROWS_WITH(table.add({"last", {{8, 1}}, {}}, 8), Contains("more than 255 kinds of groups"));
}
