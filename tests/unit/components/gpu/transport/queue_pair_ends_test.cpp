#include "components/gpu/transport/queue_pair_ends.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "components/gpu/transport/paths/direct_path.hpp"
#include "engine/model/state_io.hpp"
#include "network/wire/phase.hpp"
#include "tests/support/wire_messages.hpp"
#include "tests/unit/components/gpu/transport/paths/path_bed.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

const Connection ring = Connection::make(0, 0, static_cast<std::uint32_t>(Phase::ring));

/// Chunks of 1,000 B.
struct Bed {
  explicit Bed(QueuePairUse use, std::uint32_t count = 3)
      : pairs{.count = count,
              .group_kinds = 2,
              .use = use,
              .point_chunk = 500,
              .ring_chunk = 1000,
              .chunk = 700},
        ends(std::make_unique<QueuePairEnds>(pairs, gpu.host())),
        path(DirectPath::make(gpu.build(), gpu.host())) {}

  /// Posts a message to GPU 2 and lets the proxy thread work: bytes by queue pair, 1 on.
  std::map<std::uint32_t, std::uint32_t> send(std::int64_t bytes, bool notify = false,
                                              std::int64_t added = 0) {
    Transfer message = PathBed::transfer(2, bytes, notify);
    message.connection = ring, message.wire_bytes += added;
    Context context = gpu.at(now);
    ends->send(context, message, *path);
    std::map<std::uint32_t, std::uint32_t> by_pair;
    for (std::vector<PathBed::Sent> sent = gpu.sent(); !sent.empty(); sent = gpu.sent()) {
      for (const PathBed::Sent& one : sent) {
        if (one.port == self_port) continue;
        posted.push_back(as<WorkRequest>(one.payload));
        CHECK(pairs.whole(posted.back().address.connection()) == ring);
        by_pair[pairs.number(posted.back().address.connection())] += posted.back().bytes;
      }
      now += microseconds(1);
      Context later = gpu.at(now);
      gpu.host().on_proxy_wake(later);
    }
    return by_pair;
  }
  /// The NIC says that it has sent it.
  void has_left(const WorkRequest& work) {
    Context context = gpu.at(now);
    gpu.host().on_notice(context, SentNotice{.address = work.address});
  }
  bool expect(std::int64_t bytes, std::uint32_t owner, bool is_by_gpu = false, std::uint32_t from = 2) {
    Context context = gpu.at(now);
    return ends->receiver().expect(
        context, {EndpointId{from}, ring, bytes, bytes, SimTime{0}, {owner, 0}, true, is_by_gpu});
  }
  bool arrive(std::uint32_t pair, std::uint32_t bytes, SimTime at) {
    Context context = gpu.at(at);
    const Connection on = pair == 0 ? ring : pairs.of(ring, pair);
    return ends->receiver().arrive(
        context, Train{.bytes = bytes, .address = Address(EndpointId{2}, EndpointId{0}, on)}, at);
  }
  std::vector<std::uint32_t> complete() {
    std::vector<std::uint32_t> owners;
    for (const MessageEnd& end : gpu.ends()) owners.push_back(end.owner.slot);
    return owners;
  }

  PathBed gpu{1, false};
  QueuePairs pairs;
  std::unique_ptr<QueuePairEnds> ends;
  std::unique_ptr<Path> path;
  SimTime now{};
  std::vector<WorkRequest> posted;
};

using ByPair = std::map<std::uint32_t, std::uint32_t>;
using Owners = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("in turns the chunks of messages go by one queue pair after the other, over all messages") {
  Bed bed(QueuePairUse::turns);
  CHECK((bed.send(900) == ByPair{{1, 900}}));
  CHECK((bed.send(1000) == ByPair{{2, 1000}}));
  CHECK((bed.send(4500) == ByPair{{3, 2000}, {1, 1500}, {2, 1000}}));
}

TEST_CASE("split, a message has equal parts, multiples of 128 B but for the last one") {
  Bed bed(QueuePairUse::split);
  CHECK((bed.send(1000) == ByPair{{1, 384}, {2, 384}, {3, 232}}));
  CHECK((bed.send(100) == ByPair{{1, 100}}));
}

TEST_CASE("a chunk takes the queue pair with the least under way, of equal ones the next in turn") {
  Bed bed(QueuePairUse::least);
  CHECK((bed.send(2000) == ByPair{{1, 1000}, {2, 1000}}));
  CHECK((bed.send(500) == ByPair{{3, 500}}));
  CHECK((bed.send(600) == ByPair{{3, 600}}));  // 500 B are under way there, 1,000 on the others
  for (const WorkRequest& work : bed.posted)
    if (bed.pairs.number(work.address.connection()) == 2) bed.has_left(work);
  CHECK((bed.send(700) == ByPair{{2, 700}}));
}

TEST_CASE("a message has been sent when the last of its shares has") {
  for (const QueuePairUse use : {QueuePairUse::turns, QueuePairUse::split, QueuePairUse::least}) {
    Bed bed(use);
    bed.send(2500, true);
    REQUIRE(bed.posted.size() == 3);
    for (const WorkRequest& work : bed.posted) {
      CHECK(bed.complete().empty());
      CHECK(work.notify);
      bed.has_left(work);
    }
    CHECK(bed.complete() == Owners{7});
  }
}

TEST_CASE("nobody is told of a message that nobody asks after") {
  for (const QueuePairUse use : {QueuePairUse::turns, QueuePairUse::split, QueuePairUse::least}) {
    Bed bed(use);
    bed.send(2500);
    for (const WorkRequest& work : bed.posted)
      if (work.notify) bed.has_left(work);
    CHECK(bed.complete().empty());
  }
}

TEST_CASE("the receiver counts as the sender does, and hands messages out in their order") {
  Bed bed(QueuePairUse::turns);
  REQUIRE(bed.expect(1000, 1));
  REQUIRE(bed.expect(3500, 2));  // chunks on queue pairs 2, 3, 1, 2
  REQUIRE(bed.expect(1000, 3));
  CHECK(bed.arrive(3, 1000, nanoseconds(1)));
  CHECK(bed.arrive(2, 1500, nanoseconds(2)));
  CHECK(bed.arrive(3, 1000, nanoseconds(3)));  // of the third message
  CHECK(bed.complete().empty());
  CHECK(bed.arrive(1, 1000, nanoseconds(4)));
  CHECK(bed.complete() == Owners{1});
  CHECK(bed.arrive(1, 1000, nanoseconds(5)));
  CHECK(bed.complete() == Owners{2, 3});
  CHECK(bed.ends->receiver().unclaimed_bytes() == 0);
}

TEST_CASE("split, a message waits for its slowest part") {
  Bed bed(QueuePairUse::split);
  REQUIRE(bed.expect(1000, 1));
  REQUIRE(bed.expect(100, 2));  // all on the first queue pair
  CHECK(bed.arrive(1, 384 + 100, nanoseconds(1)));
  CHECK(bed.arrive(3, 232, nanoseconds(2)));
  CHECK(bed.complete().empty());
  CHECK(bed.arrive(2, 384, nanoseconds(9)));
  CHECK(bed.complete() == Owners{1, 2});
}

TEST_CASE("with least the first message takes what comes on any queue pair") {
  Bed bed(QueuePairUse::least);
  CHECK(!bed.expect(1000, 1));
  Context context = bed.gpu.at(bed.now);
  bed.gpu.host().expect(context, {EndpointId{2}, ring, 1000, 1000, SimTime{0}, {1, 0}, true});
  CHECK(bed.arrive(3, 400, nanoseconds(1)));
  CHECK(bed.arrive(2, 600, nanoseconds(2)));
  CHECK(bed.complete() == Owners{1});
}

TEST_CASE("what came before anybody asked for it is taken") {
  for (const QueuePairUse use : {QueuePairUse::turns, QueuePairUse::split}) {
    Bed bed(use);
    for (const std::uint32_t pair : {3u, 1u, 2u}) bed.arrive(pair, pair == 3 ? 744 : 1024, nanoseconds(pair));
    CHECK(bed.ends->receiver().unclaimed_bytes() == 2792);
    bed.now = nanoseconds(9);
    REQUIRE(bed.expect(use == QueuePairUse::turns ? 2744 : 2792, 1));
    CHECK(bed.complete() == Owners{1});
    CHECK(bed.ends->receiver().unclaimed_bytes() == (use == QueuePairUse::turns ? 48 : 0));
  }
}

TEST_CASE("messages between two GPUs, which streams may bring in any order, are not counted in turns") {
  Bed bed(QueuePairUse::turns);
  Context context = bed.gpu.at(bed.now);
  const Connection point = Connection::make(0, 0, static_cast<std::uint32_t>(Phase::point_to_point));
  const Expectation expected{EndpointId{2}, point, 900, 900, SimTime{0}, {1, 0}, true};
  CHECK(!bed.ends->receiver().expect(context, expected));
  bed.gpu.host().expect(context, expected);
  for (const std::uint32_t pair : {2u, 3u})
    CHECK(bed.ends->receiver().arrive(
        context,
        Train{.bytes = 450, .address = Address(EndpointId{2}, EndpointId{0}, bed.pairs.of(point, pair))},
        nanoseconds(pair)));
  CHECK(bed.complete() == Owners{1});
}

TEST_CASE("what a protocol adds to the payload makes no further chunk") {
  Bed bed(QueuePairUse::turns);
  CHECK((bed.send(1000, false, 100) == ByPair{{1, 1100}}));
  CHECK((bed.send(2000, false, 200) == ByPair{{2, 1100}, {3, 1100}}));
  CHECK((bed.send(3000) == ByPair{{1, 1000}, {2, 1000}, {3, 1000}}));
}

TEST_CASE("what the GPU posts itself, what comes from its server and control messages have no queue pair") {
  Bed bed(QueuePairUse::turns);
  CHECK(!bed.expect(1000, 1, true));
  CHECK(!bed.expect(1000, 1, false, 1));
  CHECK(!bed.arrive(0, 1000, nanoseconds(1)));
  Transfer message = PathBed::transfer(2, 1000);
  message.connection = ring;
  CHECK(QueuePairEnds::takes(message));
  message.is_by_gpu = true;
  CHECK(!QueuePairEnds::takes(message));
  message.is_by_gpu = false;
  message.connection = Connection::make(0, 0, static_cast<std::uint32_t>(Phase::io_data));
  CHECK(!QueuePairEnds::takes(message));
}

TEST_CASE("what had come of a message that is given up is counted once") {
  Bed bed(QueuePairUse::turns);
  bed.expect(3500, 1);
  bed.arrive(2, 1000, nanoseconds(1));  // a share that is whole
  bed.arrive(1, 300, nanoseconds(2));
  CHECK(bed.ends->drop_all() == 1300);
  CHECK(bed.ends->receiver().unclaimed_bytes() == 0);
  REQUIRE(bed.expect(1000, 2));  // counts anew
  bed.arrive(1, 1000, nanoseconds(3));
  CHECK(bed.complete() == Owners{2});
}

TEST_CASE("queue pairs go on from a checkpoint as if there had been none") {
  for (const QueuePairUse use : {QueuePairUse::turns, QueuePairUse::split, QueuePairUse::least}) {
    Bed bed(use);
    bed.send(1500, true);
    if (use != QueuePairUse::least) bed.expect(3500, 1);
    bed.arrive(2, 700, nanoseconds(1));
    StateWriter saved, again;
    bed.ends->save(saved);
    Bed other(use);
    StateReader reader(saved.bytes());
    other.ends->load(reader);
    other.ends->save(again);
    CHECK(std::vector(saved.bytes().begin(), saved.bytes().end()) ==
          std::vector(again.bytes().begin(), again.bytes().end()));
    CHECK(bed.send(2500) == other.send(2500));
  }
}
