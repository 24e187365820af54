#include "network/transport/arriving_batches.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "engine/base/hash.hpp"
#include "network/transport/sent_batch.hpp"

using namespace lightrail;

namespace {

using Told = ArrivingBatches::Told;

/// `trains`: of the batch, in the one that is sent last.
CountedTrain train(std::uint32_t from, std::uint16_t number, std::uint16_t trains = 0,
                   std::uint32_t bytes = 100) {
  return {.trains = static_cast<std::uint16_t>(trains & 0xff),
          .number = static_cast<std::uint16_t>(number & 0x7f),
          .is_counted = 1,
          .bytes = bytes,
          .address = Address(EndpointId{from}, EndpointId{0}, Connection::make(1, 2, 3))};
}

/// The trains of a message of `bytes`, from GPU `from`: of `train_bytes`, every third one shorter by what
/// `shorter` says, as a NIC's are that lacks credits.
std::vector<CountedTrain> message(std::uint32_t from, std::int64_t bytes, std::uint32_t train_bytes,
                                  std::uint32_t& numbers, std::uint32_t shorter = 0) {
  std::vector<CountedTrain> all;
  SentBatch batch = SentBatch::counted();
  for (std::int64_t left = bytes; left > 0; left -= all.back().bytes) {
    const std::uint32_t most = train_bytes - (all.size() % 3 == 0 ? shorter : 0);
    const auto size = static_cast<std::uint32_t>(std::min<std::int64_t>(left, most));
    Frame frame = frame_of(train(from, 0, 0, size));
    frame.detail = batch.next(left, size, train_bytes, train_bytes, numbers);
    all.push_back(as<CountedTrain>(frame));
  }
  return all;
}

}  // namespace

TEST_CASE("of a batch the first train is told, and the rest when the last one comes") {
  ArrivingBatches batches;
  CHECK(batches.add(train(1, 5, 0, 10), 1).told == Told::train);
  CHECK(batches.add(train(1, 5, 0, 20), 1).told == Told::nothing);
  CHECK(batches.add(train(1, 5, 0, 30), 1).told == Told::nothing);
  const ArrivingBatches::Answer last = batches.add(train(1, 5, 4, 40), 1);
  CHECK(last.told == Told::rest);
  CHECK(last.rest_bytes == 90);
  CHECK(batches.add(train(1, 5, 0, 10), 1).told == Told::train);  // the number comes again
}

TEST_CASE("the train that was sent last may overtake all others of its batch") {
  ArrivingBatches batches;
  CHECK(batches.add(train(1, 5, 3, 10), 1).told == Told::train);
  CHECK(batches.add(train(1, 5, 0, 20), 1).told == Told::nothing);
  const ArrivingBatches::Answer last = batches.add(train(1, 5, 0, 30), 1);
  CHECK(last.told == Told::rest);
  CHECK(last.rest_bytes == 50);
}

TEST_CASE("batches of other senders, devices and numbers are counted apart") {
  ArrivingBatches batches;
  for (const auto& [one, port] :
       {std::pair{train(1, 5), 1}, {train(2, 5), 1}, {train(1, 5), 2}, {train(1, 6), 1}}) {
    CHECK(batches.add(one, static_cast<PortIndex>(port)).told == Told::train);
    CHECK(batches.add(one, static_cast<PortIndex>(port)).told == Told::nothing);
  }
  CHECK(batches.add(train(1, 5, 3), 1).rest_bytes == 200);
}

TEST_CASE("a message is cut into batches of 255 trains and of 16 MiB, and two trains are not counted") {
  std::uint32_t numbers = 0;
  const auto lengths = [&](std::int64_t bytes, std::uint32_t train_bytes, std::uint32_t shorter = 0) {
    std::map<std::uint16_t, std::vector<int>> by_number;
    for (const CountedTrain& each : message(1, bytes, train_bytes, numbers, shorter))
      by_number[each.is_counted ? each.number : 999].push_back(each.is_counted ? each.trains : 0);
    std::vector<std::pair<std::size_t, int>> all;  // trains of a batch, what its last one says
    for (const auto& [number, said] : by_number) {
      CHECK(std::all_of(said.begin(), said.end() - 1, [](int n) { return n == 0; }));
      all.emplace_back(said.size(), said.back());
    }
    return all;
  };
  using Lengths = std::vector<std::pair<std::size_t, int>>;
  CHECK(lengths(1, 4096) == Lengths{{1, 0}});
  CHECK(lengths(8192, 4096) == Lengths{{2, 0}});
  CHECK(lengths(8193, 4096) == Lengths{{3, 3}});
  CHECK(lengths(4096 * 300, 4096) == Lengths{{255, 255}, {45, 45}});
  CHECK(lengths(4096 * 257, 4096) == Lengths{{255, 255}, {2, 0}});
  CHECK(lengths(std::int64_t{1 << 20} * 20, 1 << 20) == Lengths{{15, 15}, {5, 5}});
  CHECK(lengths(std::int64_t{1 << 24} * 3, 1 << 24) == Lengths{{3, 0}});  // whole messages: each is a batch
  CHECK(numbers == 6);
  CHECK(lengths(4096 * 9, 4096, 2048) == Lengths{{11, 11}});  // four of its trains are of half the length
}

TEST_CASE("whatever overtakes what, all bytes are told once and nothing is left over") {
  constexpr std::uint32_t senders = 3;
  std::uint64_t state = 0;
  const auto draw = [&](std::uint64_t below) { return mix64(++state) % below; };
  for (int round = 0; round < 200; ++round) {
    std::vector<CountedTrain> trains;
    std::map<std::uint32_t, std::int64_t> sent, told;
    std::map<std::uint32_t, int> count;
    // Numbers come again while batches that have them are under way: 128 of one sender are all that differ.
    for (std::uint32_t from = 0; from < senders; ++from)
      for (std::uint32_t numbers = static_cast<std::uint32_t>(draw(500)), k = 0; k < 300; ++k) {
        const auto bytes = static_cast<std::int64_t>(1 + draw(700));
        sent[from] += bytes;
        for (const CountedTrain& each : message(from, bytes, 100, numbers, k % 2 == 0 ? 0 : 70))
          trains.push_back(each);
      }
    for (std::size_t i = trains.size(); i > 1; --i) std::swap(trains[i - 1], trains[draw(i)]);
    ArrivingBatches batches;
    for (const CountedTrain& each : trains) {
      const std::uint32_t from = each.address.from().value;
      if (!each.is_counted) {
        told[from] += each.bytes;
        continue;
      }
      const ArrivingBatches::Answer answer = batches.add(each, 1);
      if (answer.told != Told::nothing)
        told[from] += answer.told == Told::train ? each.bytes : answer.rest_bytes;
      ++count[from];
    }
    CHECK(told == sent);
    StateWriter out;
    batches.save(out);
    StateReader in(out.bytes());
    ArrivingBatches copy;
    copy.load(in);
    for (std::uint32_t from = 0; from < senders; ++from)  // a batch of any number is new to it
      for (std::uint16_t number = 0; number < 128; ++number)
        CHECK(copy.add(train(from, number), 1).told == Told::train);
  }
}

TEST_CASE("what is told of a batch holds 256 MiB") {
  const Address address(EndpointId{1}, EndpointId{2}, Connection::make(3, 4, 5));
  const std::uint32_t most = (1u << 28) - 1;
  for (const std::uint32_t last : {0u, 1u, 255u, 65'537u, 16'777'217u, most}) {
    const auto rest = as<BatchRest>(to_payload(BatchRest::of(address, most, last)));
    CHECK(rest.last_bytes() == last);
    CHECK(rest.bytes == most);
    CHECK(rest.address == address);
  }
}
