#include "network/transport/entropy_values.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

using namespace lightrail;

namespace {

constexpr std::uint64_t flow = 7;
constexpr std::uint32_t count = 8;
using Values = std::vector<std::uint16_t>;

Values next(EntropyValues& values, std::uint32_t times = count, std::uint64_t of = flow) {
  Values all;
  for (std::uint32_t i = 0; i < times; ++i) all.push_back(values.next(of));
  return all;
}

Values sorted(Values values) {
  std::sort(values.begin(), values.end());
  return values;
}

Values all_values() {
  Values all(count);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  return all;
}

std::int64_t times_of(const Values& values, std::uint16_t value) {
  return std::count(values.begin(), values.end(), value);
}

}  // namespace

TEST_CASE("each value has its turn once in a round, in an order of its round and flow") {
  EntropyValues values(count, PathChoice::turns, 1), same(count, PathChoice::turns, 1);
  std::vector<Values> rounds;
  for (int i = 0; i < 20; ++i) {
    rounds.push_back(next(values));
    CHECK(sorted(rounds.back()) == all_values());
    CHECK(next(same) == rounds.back());
  }
  CHECK(std::any_of(rounds.begin(), rounds.end(), [&](const Values& one) { return one != rounds[0]; }));
  CHECK(sorted(next(values, count, flow + 1)) == all_values());
}

TEST_CASE("one value leaves no choice, and turns take no notice of marks") {
  EntropyValues one(1, PathChoice::marks, 1);
  one.on_fate(flow, 0, PathFate::clear);
  CHECK(next(one) == Values(count, 0));
  EntropyValues turns(count, PathChoice::turns, 1);
  for (const std::uint16_t value : next(turns)) turns.on_fate(flow, value, PathFate::trimmed);
  CHECK(sorted(next(turns)) == all_values());
}

TEST_CASE("values whose packets came unmarked are used once more, in the order of acknowledgements") {
  EntropyValues values(count, PathChoice::marks, 1);
  next(values);
  for (const std::uint16_t value : Values{5, 2, 5}) values.on_fate(flow, value, PathFate::clear);
  CHECK(next(values, 3) == Values{5, 2, 5});
  CHECK(sorted(next(values)) == all_values());  // then turns again
}

TEST_CASE("a value is passed over once for a mark, four times for a trimmed packet, 15 times at most") {
  for (const auto& [fate, times, passed] :
       {std::tuple{PathFate::marked, 1, 1}, {PathFate::trimmed, 1, 4}, {PathFate::trimmed, 9, 15}}) {
    EntropyValues values(count, PathChoice::marks, 1);
    next(values);
    for (int i = 0; i < times; ++i) values.on_fate(flow, 3, fate);
    // Others take its turns: seven of them in so many rounds.
    CHECK(times_of(next(values, static_cast<std::uint32_t>(passed * 7)), 3) == 0);
    CHECK(times_of(next(values, 2 * count), 3) >= 1);
    CHECK(sorted(next(values, count, flow + 1)) == all_values());  // of this flow alone
  }
}

TEST_CASE("where all values have a penalty the packets go on") {
  EntropyValues values(count, PathChoice::marks, 1);
  for (const std::uint16_t value : all_values()) values.on_fate(flow, value, PathFate::trimmed);
  CHECK(next(values, 100).size() == 100);
  CHECK(sorted(next(values, 6 * count)).size() == 6 * count);
}

TEST_CASE("what is known of values is saved") {
  EntropyValues one(count, PathChoice::marks, 1), other(count, PathChoice::marks, 1);
  next(one, 11);
  one.on_fate(flow, 3, PathFate::trimmed);
  for (const std::uint16_t value : Values{5, 2}) one.on_fate(flow, value, PathFate::clear);
  StateWriter out;
  one.save(out);
  StateReader in(out.bytes());
  other.load(in);
  CHECK(next(other, 40) == next(one, 40));
}
