#include "components/gpu/transport/paths/failover_path.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include "network/wire/train.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/test_model.hpp"
#include "tests/unit/components/gpu/transport/paths/path_bed.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// The NICs of PathBed's four GPUs, joined to one leaf. Those of `failed` are down in [100 us, 200 us), which
/// senders know 5 us later.
struct FailingNics {
  AddressBook book;
  Model model;
  HealthTable health;

  explicit FailingNics(const std::vector<std::uint32_t>& failed) {
    TestModel made;
    const auto spec = std::make_shared<const Spec>();
    const auto gpu = kind_named("gpu", false), nic = kind_named("nic", true);
    for (std::uint32_t g = 0; g < 4; ++g) {
      book.component_of.push_back(made.add(gpu, spec));
      book.endpoints.push_back(
          {g / 2, Lid{g}, static_cast<std::uint16_t>(g % 2), static_cast<std::uint16_t>(g % 2)});
    }
    book.gpu_count = 4;
    std::vector<ComponentId> nics;
    for (std::uint32_t g = 0; g < 4; ++g) nics.push_back(made.add(nic, spec));
    const ComponentId leaf = made.add(kind_named("leaf", true), spec);
    for (std::uint32_t g = 0; g < 4; ++g) made.connect(book.component_of[g], nics[g], nanoseconds(100));
    for (std::uint32_t g = 0; g < 4; ++g) made.connect(nics[g], leaf, nanoseconds(100));
    const auto joined = std::make_shared<const NvswitchTraits>();
    for (std::uint32_t s = 0; s < 2; ++s) {
      const ComponentId nvswitch = made.add(kind_named("nvswitch", false), joined);
      for (const std::uint32_t g : {2 * s, 2 * s + 1})
        made.connect(book.component_of[g], nvswitch, nanoseconds(100));
    }
    model = made.build();
    HealthTable::Outages outages;
    for (const std::uint32_t g : failed)
      for (const std::uint32_t way : {0u, 1u})
        outages[LinkId{8 + 2 * g + way}] = {{microseconds(100), microseconds(200)}};
    health = HealthTable({microseconds(5), microseconds(50)}, outages);
  }
};

struct Place {
  FailingNics nics;
  NicHealth health;
  PathBed bed{1};
  FailoverPath path;

  explicit Place(const std::vector<std::uint32_t>& failed)
      : nics(failed), health(nics.health, nics.book, nics.model), path(bed.host(), health, true) {}
};

/// The local number of the GPU that a train on NVLink goes to first.
std::uint32_t delegate_of(const Payload& payload) {
  return as<Frame>(payload).detail & 0xfffu;
}

constexpr SimTime before = microseconds(104), during = microseconds(150), after = microseconds(250);

}  // namespace

TEST_CASE(
    "the way round a NIC is open from when senders know that it is down until they know that it is up") {
  const Place place({0});
  const auto leads = [&](SimTime now, std::uint32_t to, Cargo cargo) {
    return place.path.leads_to(now, EndpointId{to}, cargo);
  };
  CHECK_FALSE(leads(microseconds(105) - SimTime{1}, 2, Cargo::message));
  CHECK(leads(microseconds(105), 2, Cargo::message));
  CHECK(leads(microseconds(205) - SimTime{1}, 2, Cargo::control));
  CHECK_FALSE(leads(microseconds(205), 2, Cargo::message));
  // By PXN GPU 1 sends to rail 1, and its NIC is up; what this GPU sends itself needs its own.
  CHECK_FALSE(leads(during, 3, Cargo::message));
  CHECK(leads(during, 3, Cargo::message_by_gpu));
}

TEST_CASE("there is no way round where all NICs of the server are down, nor without failures") {
  const Place place({0, 1});
  CHECK_FALSE(place.path.leads_to(during, EndpointId{2}, Cargo::message));
  PathBed bed(1);
  CHECK_FALSE(FailoverPath::make(bed.build(), bed.host()));
}

TEST_CASE("a message leaves over NVLink by the neighbour, under its own addresses, and its end is told") {
  Place place({0});
  Context context = place.bed.at(during);
  place.path.send(context, PathBed::transfer(2, 4096, true));
  const auto sent = place.bed.sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].port == GpuPort::nvlink);
  CHECK(delegate_of(sent[0].payload) == 1);
  CHECK(as<Frame>(sent[0].payload).address.from() == EndpointId{0});
  CHECK(as<Frame>(sent[0].payload).address.to() == EndpointId{2});
  CHECK(as<Frame>(sent[0].payload).bytes == 4096);
  const auto ends = place.bed.ends();
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].owner.slot == 7);
  CHECK(ends[0].at == during + picoseconds(20 * 4096));  // 50 GB/s
}

TEST_CASE("a message for the rail of a dead neighbour leaves by this GPU's own NIC") {
  Place place({1});
  CHECK(place.path.leads_to(during, EndpointId{3}, Cargo::message));
  Context context = place.bed.at(during);
  place.path.send(context, PathBed::transfer(3, 4096));
  const auto sent = place.bed.sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].port == GpuPort::nic);
  CHECK(kind_of(sent[0].payload) == MessageKind::work_request);
}

TEST_CASE(
    "what a dead NIC gives back leaves by the neighbour, or by the NIC where it is up again meanwhile") {
  for (const bool is_back : {false, true}) {
    Place place({0});
    Transfer transfer = PathBed::transfer(2, 4096, true);
    transfer.is_by_gpu = true;  // to the NIC at once, which is to say when it has left
    Context early = place.bed.at(before);
    place.bed.host().post_transfer(early, transfer);
    REQUIRE(place.bed.sent().size() == 1);
    ReturnedWork rest;
    rest.notify = 1, rest.bytes = 1024;
    rest.address = Address(EndpointId{0}, EndpointId{2}, transfer.connection);
    Context late = place.bed.at(is_back ? after : during);
    CHECK(place.path.on_returned(late, rest));
    const auto sent = place.bed.sent();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].port == (is_back ? GpuPort::nic : GpuPort::nvlink));
    CHECK(as<Frame>(sent[0].payload).bytes == 1024);
    if (is_back) CHECK(kind_of(sent[0].payload) == MessageKind::work_request);
    // Over NVLink the end is known; the NIC has still to say.
    CHECK(place.bed.ends().size() == (is_back ? 0 : 1));
  }
}

TEST_CASE("what came in for a neighbour goes on to it over NVLink when it is whole") {
  Place place({1});
  Context context = place.bed.at(during);
  const SimTime tail = during + nanoseconds(80);
  const Train train{.bytes = 4096, .address = Address(EndpointId{3}, EndpointId{1}, {})};
  CHECK_FALSE(place.path.pass_on(context, train, GpuPort::nvlink, tail));
  Train far = train;
  far.address = Address(EndpointId{3}, EndpointId{2}, {});
  CHECK_FALSE(place.path.pass_on(context, far, GpuPort::nic, tail));
  REQUIRE(place.path.pass_on(context, train, GpuPort::nic, tail));
  const auto waits = place.bed.sent();
  REQUIRE(waits.size() == 1);
  CHECK(waits[0].port == self_port);
  CHECK(waits[0].time == tail);
  Context later = place.bed.at(tail);
  REQUIRE(place.path.on_wake(later, waits[0].payload));
  const auto sent = place.bed.sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].port == GpuPort::nvlink);
  CHECK(as<Frame>(sent[0].payload).address == train.address);
}
