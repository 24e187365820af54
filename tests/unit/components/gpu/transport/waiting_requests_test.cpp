#include "components/gpu/transport/waiting_requests.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <list>
#include <utility>
#include <vector>

#include "engine/base/hash.hpp"

namespace lightrail {
namespace {

using Request = WaitingRequests::Request;

Request request(std::uint32_t from, std::uint32_t to, std::uint32_t bytes) {
  return {.work = {.bytes = bytes, .address = Address(EndpointId{from}, EndpointId{to}, {})},
          .receiver = EndpointId{to},
          .nic = 1};
}

Request notified(std::uint32_t from, std::uint32_t to, std::uint32_t bytes) {
  Request asks = request(from, to, bytes);
  asks.work.notify = 1;
  return asks;
}

/// Takes out what is for the oldest request's receiver, at most so many requests; returns their bytes.
std::vector<std::uint32_t> take(WaitingRequests& waiting, std::uint32_t most) {
  std::vector<std::uint32_t> bytes;
  for (std::uint32_t place = waiting.oldest(); place != WaitingRequests::none && bytes.size() < most;) {
    bytes.push_back(waiting[place].work.bytes);
    waiting.remove(std::exchange(place, waiting.next(place)));
  }
  return bytes;
}

/// The same by going over all of them.
std::vector<std::uint32_t> take(std::list<Request>& waiting, std::uint32_t most) {
  std::vector<std::uint32_t> bytes;
  if (waiting.empty()) return bytes;
  const EndpointId receiver = waiting.front().receiver;
  for (auto it = waiting.begin(); it != waiting.end() && bytes.size() < most;) {
    if (it->receiver == receiver)
      bytes.push_back(it->work.bytes), it = waiting.erase(it);
    else
      ++it;
  }
  return bytes;
}

void add(std::list<Request>& waiting, const Request& request) {
  const auto same = std::find_if(waiting.rbegin(), waiting.rend(), [&](const Request& other) {
    return other.work.address == request.work.address;
  });
  if (same == waiting.rend() || same->work.notify || request.work.notify ||
      std::int64_t{same->work.bytes} + request.work.bytes > max_work_bytes)
    waiting.push_back(request);
  else
    same->work.bytes += request.work.bytes;
}

}  // namespace

TEST_CASE("the receiver of the oldest request is served, in order, then that of the oldest which is left") {
  WaitingRequests waiting;
  CHECK(waiting.is_empty());
  // Senders 1 to 4 to receivers 7, 8, 7, 9, 7, 8, 7 in turns; at most three of a receiver at once.
  const std::uint32_t receivers[] = {7, 8, 7, 9, 7, 8, 7};
  for (std::uint32_t i = 0; i < std::size(receivers); ++i) waiting.add(request(i, receivers[i], i + 1));
  CHECK(take(waiting, 3) == std::vector<std::uint32_t>{1, 3, 5});
  CHECK(take(waiting, 3) == std::vector<std::uint32_t>{2, 6});
  CHECK(take(waiting, 3) == std::vector<std::uint32_t>{4});
  waiting.add(request(1, 7, 8));
  CHECK(take(waiting, 3) == std::vector<std::uint32_t>{7, 8});
  CHECK(waiting.is_empty());
  CHECK(waiting.oldest() == WaitingRequests::none);
}

TEST_CASE("plain requests of a connection grow into the last one that waits, and keep its age") {
  WaitingRequests waiting;
  waiting.add(request(1, 7, 10));
  waiting.add(request(1, 8, 100));
  waiting.add(request(1, 7, 20));
  CHECK(waiting[waiting.oldest()].work.is_grown == 1);
  CHECK(take(waiting, 9) == std::vector<std::uint32_t>{30});
  CHECK(take(waiting, 9) == std::vector<std::uint32_t>{100});
  waiting.add(request(1, 7, 40));
  CHECK(waiting[waiting.oldest()].work.is_grown == 0);  // the others are gone
}

TEST_CASE("nothing grows past a request that asks for a notice, nor beyond the longest request") {
  WaitingRequests waiting;
  waiting.add(request(1, 7, 10));
  waiting.add(notified(1, 7, 20));
  waiting.add(request(1, 7, 40));
  waiting.add(request(1, 7, 80));
  waiting.add(request(1, 7, static_cast<std::uint32_t>(max_work_bytes - 119)));
  waiting.add(request(1, 7, 1));
  CHECK(take(waiting, 9) ==
        std::vector<std::uint32_t>{10, 20, 120, static_cast<std::uint32_t>(max_work_bytes - 118)});
}

TEST_CASE("requests wait as in a plain list through thousands of steps, a checkpoint amid them") {
  WaitingRequests waiting;
  std::list<Request> truth;
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    const std::uint64_t draw = mix64(step + 1);
    // More come than go, and the other way round, in turns of 500 steps.
    if (draw % 8 < (step / 500 % 2 == 0 ? 6 : 2)) {
      const auto from = static_cast<std::uint32_t>(draw >> 8 & 7),
                 to = static_cast<std::uint32_t>(draw >> 16);
      const auto bytes = static_cast<std::uint32_t>(step);
      const Request next =
          draw >> 12 & 1 ? notified(from, 10 + to % 40, bytes) : request(from, 10 + to % 40, bytes);
      waiting.add(next), add(truth, next);
    } else {
      REQUIRE(take(waiting, 3) == take(truth, 3));
    }
    REQUIRE(waiting.is_empty() == truth.empty());
    if (step != 10'250) continue;
    StateWriter out;
    waiting.save(out);
    waiting = {};
    StateReader in(out.bytes());
    waiting.load(in);
  }
  std::int64_t bytes = 0;
  for (const Request& left : truth) bytes += left.work.bytes;
  CHECK(waiting.drop_all() == bytes);
  CHECK(waiting.is_empty());
  waiting.add(request(1, 7, 5));
  CHECK(take(waiting, 1) == std::vector<std::uint32_t>{5});
}

}  // namespace lightrail
