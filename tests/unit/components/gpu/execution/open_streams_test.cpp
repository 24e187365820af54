#include "components/gpu/execution/open_streams.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "engine/base/hash.hpp"

namespace lightrail {
namespace {

std::vector<std::uint32_t> all(const OpenStreams& streams) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t s = streams.next(0); s != OpenStreams::none; s = streams.next(s + 1)) found.push_back(s);
  return found;
}

}  // namespace

TEST_CASE("all streams are open at first, and are gone over in their order") {
  for (const std::uint32_t count : {1u, 5u, 63u, 64u, 65u, 4'095u, 4'096u, 4'097u, 65'535u}) {
    const OpenStreams streams(count);
    const std::vector<std::uint32_t> found = all(streams);
    REQUIRE(found.size() == count);
    for (std::uint32_t i = 0; i < count; ++i) REQUIRE(found[i] == i);
  }
  CHECK(all(OpenStreams(0)).empty());
}

TEST_CASE("a stream that runs is passed over until it is opened") {
  OpenStreams streams(10'000);
  for (std::uint32_t s = 0; s < 10'000; ++s) streams.close(s);
  CHECK(streams.next(0) == OpenStreams::none);
  for (const std::uint32_t s : {9'999u, 64u, 4'096u, 0u, 127u}) streams.open(s);
  CHECK(all(streams) == std::vector<std::uint32_t>{0, 64, 127, 4'096, 9'999});
  CHECK(streams.next(65) == 127);
  CHECK(streams.next(128) == 4'096);
  CHECK(streams.next(10'000) == OpenStreams::none);
}

TEST_CASE("an operation's end opens the streams that wait for it and no other") {
  OpenStreams streams(6);
  streams.close_until(1, 70);
  streams.close_until(2, 71);
  streams.close_until(4, 70);
  CHECK(all(streams) == std::vector<std::uint32_t>{0, 3, 5});
  streams.on_end(69);
  CHECK(all(streams) == std::vector<std::uint32_t>{0, 3, 5});
  streams.on_end(70);
  CHECK(all(streams) == std::vector<std::uint32_t>{0, 1, 3, 4, 5});
  streams.close_until(1, 71);
  streams.on_end(71);
  CHECK(all(streams) == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("streams that were to wait are forgotten when all are opened") {
  OpenStreams streams(3);
  streams.close_until(0, 7);
  streams.close_until(2, 7);
  streams.open_all();
  CHECK(all(streams) == std::vector<std::uint32_t>{0, 1, 2});
  streams.close(0);
  streams.on_end(7);
  CHECK(all(streams) == std::vector<std::uint32_t>{1, 2});
}

TEST_CASE("streams open and close as in plain sets through thousands of steps, a checkpoint amid them") {
  constexpr std::uint32_t count = 5'000;
  OpenStreams streams(count);
  std::set<std::uint32_t> open;
  std::map<std::uint32_t, std::set<std::uint32_t>> waiting;
  for (std::uint32_t s = 0; s < count; ++s) open.insert(s);
  for (std::uint64_t step = 0; step < 30'000; ++step) {
    const std::uint64_t draw = mix64(step + 1);
    const auto stream = static_cast<std::uint32_t>(draw % count),
               op = static_cast<std::uint32_t>(draw >> 40 & 63);
    if (open.erase(stream) == 1) {
      waiting[op].insert(stream);
      streams.close_until(stream, op);
    } else {
      open.merge(waiting[op]);
      waiting.erase(op);
      streams.on_end(op);
    }
    const auto next = open.lower_bound(stream);
    REQUIRE(streams.next(stream) == (next == open.end() ? OpenStreams::none : *next));
    if (step != 20'000) continue;
    StateWriter out;
    streams.save(out);
    streams = OpenStreams(count);
    StateReader in(out.bytes());
    streams.load(in);
  }
  CHECK(all(streams) == std::vector<std::uint32_t>(open.begin(), open.end()));
}

}  // namespace lightrail
