#include "workloads/import/uneven_exchange.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"

using namespace lightrail;
using Bytes64 = std::vector<std::int64_t>;

namespace {

/// Members 0, 1, ... with these parts.
struct Group {
  std::vector<ExchangePart> in, out;
  std::string path = "t.json";

  Exchange solve() const {
    std::vector<ExchangeCall> calls;
    for (std::uint32_t m = 0; m < in.size(); ++m)
      calls.push_back({&path, "event " + std::to_string(m), m, &in[m], &out[m]});
    return exchange_of(calls, 5);
  }
  std::string refusal() const {
    try {
      (void)solve();
    } catch (const InputErrors& problem) {
      return to_string(problem.errors()[0]);
    }
    return "";
  }
};

ExchangePart listed(Bytes64 of_member) {
  std::int64_t sum = 0;
  for (std::int64_t bytes : of_member) sum += bytes;
  return {sum, true, false, std::move(of_member)};
}

}  // namespace

TEST_CASE("what members give and take is put together pair by pair") {
  // Member 1 says only what it takes, member 2 gives nothing.
  const Group group{{listed({1, 2, 3}), {}, listed({0, 0, 0})}, {{}, listed({2, 5, 0}), {}}};
  CHECK_THAT(group.refusal(), Catch::Contains("event 1: all-to-all 5: has no 'In split size'"));
  Group whole = group;
  whole.in[1] = {9, true, true, {4}};  // cut after one member; the rest is what column and sum leave
  const Exchange made = whole.solve();
  CHECK(made.bytes == 9);
  CHECK(made.matrix.bytes == Bytes64{1, 2, 3, 4, 5, 0, 0, 0, 0});
  CHECK(made.note.empty());
}

TEST_CASE("equal parts need no matrix") {
  const Group even{{listed({4, 4}), {8, true, false, {}}}, {{}, {}}};
  CHECK(even.solve().matrix.size == 0);
  CHECK(even.solve().bytes == 8);
  const Group plain{{{8, false, false, {}}, {8, false, false, {}}}, {{8, false, false, {}}, {}}};
  CHECK(plain.solve().bytes == 8);
}

TEST_CASE("what a cut list leaves open goes to the others in equal parts, and a note says so") {
  const ExchangePart cut{10, true, true, {1, 2}};
  const Group group{{cut, cut, cut, cut}, {{}, {}, {}, {}}};
  const Exchange made = group.solve();
  CHECK(made.matrix.bytes == Bytes64{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4});
  CHECK_THAT(made.note, Catch::Contains("is inferred"));
}

TEST_CASE("members that contradict each other are named") {
  CHECK(Group{{listed({1, 2}), listed({3, 4})}, {{}, listed({7, 4})}}.refusal() ==
        "t.json: event 1: all-to-all 5: 'Out split size' has 7 B for rank 0, but t.json has 2 B for rank 1");
  CHECK(Group{{{8, false, false, {}}, {6, false, false, {}}}, {{}, {}}}.refusal() ==
        "t.json: event 1: all-to-all 5: 6 B, but 8 B in t.json, and no 'In split size' says who gets what");
  CHECK(Group{{{8, false, false, {}}, {8, false, false, {}}}, {{6, false, false, {}}, {}}}.refusal() ==
        "t.json: event 0: all-to-all 5: gives 8 B and takes 6 B, and no 'In split size' says who gets what");
  CHECK(Group{{{7, true, false, {}}, listed({1, 1})}, {{}, {}}}.refusal() ==
        "t.json: event 0: all-to-all 5: 7 B do not divide among 2 members, and 'In split size' is empty");
  CHECK(Group{{listed({1, 2, 3}), listed({1, 1})}, {{}, {}}}.refusal() ==
        "t.json: event 0: all-to-all 5: 'In split size' has 3 entries for a group of 2");
  CHECK(Group{{{2, true, true, {5}}, listed({1, 1})}, {{}, {}}}.refusal() ==
        "t.json: event 0: all-to-all 5: its parts add up to more than its 2 B");
}
