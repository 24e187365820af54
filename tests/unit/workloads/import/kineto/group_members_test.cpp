#include "workloads/import/kineto/group_members.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.hpp"

using namespace lightrail;
using Ranks = std::vector<std::uint32_t>;

namespace {

/// Four ranks, of which those in `members` name the group cut after its first one.
std::vector<RankTrace> traces(const Ranks& members, std::int64_t size) {
  std::vector<RankTrace> all(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    all[r].path = "r" + std::to_string(r) + ".json";
    all[r].rank = r;
  }
  for (std::uint32_t r : members) all[r].groups = {{size, "ep", "5", {members[0]}, true}};
  return all;
}

}  // namespace

TEST_CASE("a cut list of members is completed by who takes part, and a note says so") {
  auto all = traces({1, 3}, 2);
  std::vector<std::string> notes;
  complete_groups(all, notes);
  CHECK(all[1].groups[0].ranks == Ranks{1, 3});
  CHECK(!all[3].groups[0].is_cut);
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Catch::StartsWith("process group 'ep' of 2: PyTorch cut its list"));
}

TEST_CASE("distributedInfo and whole lists of other files name the members without a guess") {
  auto all = traces({1, 3}, 3);
  std::vector<std::string> notes;
  all[1].known_groups = {{3, "ep", "5", {1, 3, 2}, false}};
  complete_groups(all, notes);
  CHECK(all[1].groups[0].ranks == Ranks{1, 3, 2});
  CHECK(all[3].groups[0].ranks == Ranks{1, 3, 2});
  CHECK(notes.empty());
}

TEST_CASE("a cut group of all ranks is everybody, and one without size too") {
  auto all = traces({0, 1}, 4);
  all[2].groups = {{0, "", "", {}, false}};
  std::vector<std::string> notes;
  complete_groups(all, notes);
  CHECK(all[1].groups[0].ranks == Ranks{0, 1, 2, 3});
  CHECK(all[2].groups[0].size == 4);
  CHECK(notes.size() == 2);
}

TEST_CASE("a cut list that nothing completes is refused") {
  auto all = traces({1, 3}, 3);
  std::vector<std::string> notes;
  CHECK_THROWS_WITH(complete_groups(all, notes),
                    Catch::Contains("r1.json: process group 'ep' lists 1 of its 3 members (PyTorch cuts the "
                                    "list), and neither the other files nor 'pg_config' name the rest"));
}
