#include "network/port/pause/shared_memory.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace lightrail;

namespace {

constexpr std::int64_t one = 1 << 10;  ///< alpha of 1

std::vector<SharedMemory::Account> accounts(std::size_t count, std::int64_t alpha,
                                            std::int64_t headroom = 0) {
  return std::vector<SharedMemory::Account>(count, {.headroom_limit = headroom, .alpha = alpha});
}

}  // namespace

TEST_CASE("n accounts that take all they may have alpha B / (1 + n alpha) each") {
  // In equilibrium x = alpha (B - n x).
  for (const std::int64_t n : {1, 2, 5, 20})
    for (const std::int64_t alpha : {one / 8, one, 4 * one}) {
      constexpr std::int64_t total = 10'000'000, packet = 100;
      SharedMemory memory({.shared = total}, accounts(static_cast<std::size_t>(n), alpha));
      for (bool has_room = true; has_room;) {
        has_room = false;
        for (std::size_t i = 0; i < memory.count(); ++i) has_room |= memory.take(i, packet);
      }
      const double a = static_cast<double>(alpha) / one, share = a * total / (1 + static_cast<double>(n) * a);
      for (std::size_t i = 0; i < memory.count(); ++i) {
        INFO(n << " accounts, alpha " << a);
        // A packet of each of the others, times alpha, may have come before.
        CHECK(static_cast<double>(memory[i].normal) == Approx(share).margin(packet * (1 + a)));
      }
    }
}

TEST_CASE("an account fills its reserve, then the shared part, then its headroom, and gives back in turn") {
  SharedMemory memory({.shared = 1000, .reserve = 200}, accounts(2, one, 300));
  REQUIRE(memory.take(0, 200));
  CHECK(memory.threshold(0) == 1000);  // nothing shared is in use
  REQUIRE(memory.take(0, 500));
  CHECK(memory.threshold(0) == 500);
  CHECK(memory.is_beyond(0));  // it has all that it may have
  CHECK_FALSE(memory.is_beyond(1));
  REQUIRE(memory.take(0, 300));
  CHECK(memory[0].headroom == 300);
  CHECK_FALSE(memory.take(0, 1));
  CHECK(memory.most() == 1000);
  memory.give(0, 100);
  CHECK(memory[0].headroom == 200);
  memory.give(0, 300);
  CHECK(memory[0].headroom == 0);
  CHECK(memory[0].normal == 600);
  CHECK(memory.threshold(0) == 600);
  CHECK_FALSE(memory.is_beyond(0));
  memory.give(0, 600);
  CHECK(memory.threshold(1) == 1000);
}

TEST_CASE("a sender goes on when its headroom is empty and it has the offset below the threshold") {
  SharedMemory memory({.shared = 1000, .resume_offset = 100}, accounts(1, one, 500));
  REQUIRE(memory.take(0, 500));
  REQUIRE(memory.take(0, 100));
  CHECK(memory[0].headroom == 100);
  memory.give(0, 100);
  CHECK_FALSE(memory.has_emptied(0));  // 500 of 500
  memory.give(0, 40);
  CHECK_FALSE(memory.has_emptied(0));  // 460 + 100 of 540
  memory.give(0, 10);
  CHECK(memory.has_emptied(0));  // 450 + 100 of 550
}

TEST_CASE("without alpha an account may use all that others have left") {
  SharedMemory memory({.shared = 1000}, accounts(2, 0));
  REQUIRE(memory.take(0, 400));
  CHECK_FALSE(memory.is_beyond(0));
  REQUIRE(memory.take(1, 600));
  CHECK(memory.is_beyond(1));
  CHECK_FALSE(memory.take(0, 1));
}

TEST_CASE("accounts of ports of several rates have an alpha each") {
  // A half first: a third of B. Then an eighth of what is left: a ninth of two thirds.
  std::vector<SharedMemory::Account> two{{.alpha = one / 8}, {.alpha = one / 2}};
  SharedMemory memory({.shared = 13'500'000}, two);
  while (memory.take(1, 100)) continue;
  while (memory.take(0, 100)) continue;
  CHECK(static_cast<double>(memory[1].normal) == Approx(4'500'000).margin(200));
  CHECK(static_cast<double>(memory[0].normal) == Approx(1'000'000).margin(200));
}

TEST_CASE("with trains threshold and headroom are larger by all packets of a train but one") {
  std::vector<SharedMemory::Account> account(1, {.headroom_limit = 100 + 300, .extra = 300, .alpha = one});
  SharedMemory memory({.shared = 400}, account);
  REQUIRE(memory.take(0, 400));  // the first of its packets of 100 B is within the threshold
  CHECK(memory[0].normal == 400);
  REQUIRE(memory.take(0, 400));  // threshold 0 + 300
  CHECK(memory[0].headroom == 400);
  CHECK_FALSE(memory.take(0, 400));
}

TEST_CASE("accounts are part of the state") {
  SharedMemory memory({.shared = 1000}, accounts(2, one, 300)), other = memory;
  REQUIRE(memory.take(1, 500));
  REQUIRE(memory.take(1, 200));
  StateWriter out;
  memory.save(out);
  StateReader in(out.bytes());
  other.load(in);
  CHECK(in.is_at_end());
  CHECK(other.threshold(0) == memory.threshold(0));
  CHECK(other.most() == 700);
  CHECK(other.most_headroom() == 200);
}
