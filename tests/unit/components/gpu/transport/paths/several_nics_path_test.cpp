#include "components/gpu/transport/paths/several_nics_path.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

#include "network/wire/phase.hpp"
#include "tests/support/wire_messages.hpp"
#include "tests/unit/components/gpu/transport/paths/path_bed.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

const Connection pair_link = Connection::make(0, 0, static_cast<std::uint32_t>(Phase::point_to_point));

Train stripe(PathBed& bed, std::uint32_t from, std::uint32_t to, std::uint32_t nic, std::uint32_t bytes) {
  const AddressBook& book = bed.host().book();
  return {
      .bytes = bytes,
      .address = Address(book.address(EndpointId{from}, nic), book.address(EndpointId{to}, nic), pair_link)};
}

Expectation expected(std::uint32_t from, std::int64_t bytes, std::uint32_t owner) {
  return {EndpointId{from}, pair_link, bytes, bytes, SimTime{0}, {owner, 0}, true};
}

}  // namespace

TEST_CASE("there are stripes where GPUs have several NICs, for messages to GPUs of other servers") {
  PathBed one(1), two(2);
  CHECK(!SeveralNicsPath::make(one.build(), one.host()));
  const auto path = SeveralNicsPath::make(two.build(), two.host());
  REQUIRE(path);
  CHECK(path->leads_to(SimTime{0}, EndpointId{2}, Cargo::message));
  CHECK(path->leads_to(SimTime{0}, EndpointId{3}, Cargo::message_by_gpu));
  CHECK(!path->leads_to(SimTime{0}, EndpointId{3}, Cargo::control));
  CHECK(!path->leads_to(SimTime{0}, EndpointId{4}, Cargo::message));  // a host
}

TEST_CASE("a message to the same rails leaves by every NIC at once, and has left with its last stripe") {
  PathBed bed(2);
  const auto path = SeveralNicsPath::make(bed.build(), bed.host());
  Context context = bed.at(SimTime{0});
  path->send(context, PathBed::transfer(2, 10'000, true));
  auto sent = bed.sent();
  // The proxy thread is busy with the first stripe; the second one is a part of it and goes when it is
  // posted.
  Context later = bed.at(microseconds(1));
  bed.host().on_proxy_wake(later);
  for (const auto& more : bed.sent()) sent.push_back(more);
  std::vector<PathBed::Sent> posted;
  for (const auto& one : sent)
    if (one.port != self_port) posted.push_back(one);
  REQUIRE(posted.size() == 2);
  CHECK(posted[0].port == GpuPort::of_nic(0));
  CHECK(posted[1].port == GpuPort::of_nic(1));
  CHECK(posted[0].time == microseconds(1));
  CHECK(posted[1].time == microseconds(1));
  CHECK(frame_in(posted[0].payload).bytes == 5'120);
  CHECK(frame_in(posted[1].payload).bytes == 4'880);
  for (const auto& one : posted) {
    CHECK(bed.ends().empty());
    Context when = bed.at(microseconds(3));
    bed.host().on_notice(when, SentNotice{.address = as<WorkRequest>(one.payload).address});
  }
  const auto ends = bed.ends();
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].owner.slot == 7);
  CHECK(ends[0].at == microseconds(3));
}

TEST_CASE("with PXN the stripes for a neighbour's rails go over NVLink, marked for that neighbour") {
  for (const bool pxn : {true, false}) {
    PathBed bed(2, pxn);
    const auto path = SeveralNicsPath::make(bed.build(), bed.host());
    Context context = bed.at(SimTime{0});
    path->send(context, PathBed::transfer(3, 8'192));
    for (const auto& one : bed.sent())
      if (one.port == self_port) {
        continue;  // the injector's own wake
      } else if (pxn) {
        CHECK(one.port == GpuPort::nvlink);
        CHECK(as<DelegatedTrain>(one.payload).via == 1);
      } else {
        CHECK(one.port != GpuPort::nvlink);
      }
  }
}

TEST_CASE("a message is there when the last of its stripes is, whichever comes first") {
  for (const bool is_first_late : {true, false}) {
    PathBed bed(2);
    const auto path = SeveralNicsPath::make(bed.build(), bed.host());
    Context begin = bed.at(SimTime{0});
    REQUIRE(path->splitter()->expect(begin, expected(2, 1024, 3)));
    Context first = bed.at(nanoseconds(10));
    CHECK(path->splitter()->arrive(first, stripe(bed, 2, 0, is_first_late ? 1 : 0, 512), nanoseconds(12)));
    CHECK(bed.ends().empty());
    Context second = bed.at(nanoseconds(20));
    CHECK(path->splitter()->arrive(second, stripe(bed, 2, 0, is_first_late ? 0 : 1, 512), nanoseconds(22)));
    const auto ends = bed.ends();
    REQUIRE(ends.size() == 1);
    CHECK(ends[0].owner.slot == 3);
    CHECK(ends[0].at == nanoseconds(22));
    CHECK(path->splitter()->unclaimed_bytes() == 0);
  }
}

TEST_CASE("stripes for a GPU with one NIC all go to that one, and are put together there") {
  PathBed bed(2);
  const auto path = SeveralNicsPath::make(bed.build(), bed.host());
  Context begin = bed.at(SimTime{0});
  path->splitter()->expect(begin, expected(2, 1024, 3));
  for (const std::uint32_t nic : {0u, 1u}) {
    Train train = stripe(bed, 2, 0, nic, 512);
    train.address = Address(train.address.from(), EndpointId{0}, pair_link);
    CHECK(path->splitter()->arrive(begin, train, nanoseconds(2)));
  }
  CHECK(bed.ends().size() == 1);
}

TEST_CASE("a small message does not overtake a stripe of the message before it") {
  PathBed bed(2);
  const auto path = SeveralNicsPath::make(bed.build(), bed.host());
  Context begin = bed.at(SimTime{0});
  path->splitter()->expect(begin, expected(2, 1024, 1));
  path->splitter()->expect(begin, expected(2, 100, 2));  // all in the first stripe
  Context one = bed.at(nanoseconds(1));
  path->splitter()->arrive(one, stripe(bed, 2, 0, 0, 512), nanoseconds(2));
  path->splitter()->arrive(one, stripe(bed, 2, 0, 0, 100), nanoseconds(3));
  CHECK(bed.ends().empty());
  Context two = bed.at(nanoseconds(5));
  path->splitter()->arrive(two, stripe(bed, 2, 0, 1, 512), nanoseconds(6));
  const auto ends = bed.ends();
  REQUIRE(ends.size() == 2);
  CHECK(ends[0].owner.slot == 1);
  CHECK(ends[1].owner.slot == 2);
}

TEST_CASE("control messages and what comes from hosts come whole") {
  PathBed bed(2);
  const auto path = SeveralNicsPath::make(bed.build(), bed.host());
  Context context = bed.at(SimTime{0});
  Expectation clear = expected(2, 64, 1);
  clear.connection = Connection::make(0, 0, static_cast<std::uint32_t>(Phase::point_clear));
  CHECK(!path->splitter()->expect(context, clear));
  CHECK(!path->splitter()->expect(context, expected(4, 1024, 1)));
  CHECK(!path->splitter()->expect(context, expected(1, 1024, 1)));  // a neighbour
}
