#include "components/gpu/transport/paths/storage_path.hpp"

#include <catch2/catch.hpp>

#include "tests/support/wire_messages.hpp"
#include "tests/unit/components/gpu/transport/paths/path_bed.hpp"

using namespace lightrail;
using namespace lightrail::test;

TEST_CASE("there is no path of storage where one fabric joins all") {
  PathBed bed(1);
  CHECK(!StoragePath::make(bed.build(), bed.host()));
}

TEST_CASE("a path of storage leads to storage servers, not to GPUs") {
  PathBed bed(1, true, true);
  const auto path = StoragePath::make(bed.build(), bed.host());
  REQUIRE(path);
  for (const Cargo cargo : {Cargo::message, Cargo::message_by_gpu, Cargo::control}) {
    CHECK(path->leads_to(SimTime{0}, EndpointId{5}, cargo));
    CHECK(!path->leads_to(SimTime{0}, EndpointId{3}, cargo));
  }
}

TEST_CASE("what is for storage goes to the host and tells when it has left") {
  PathBed bed(1, true, true);
  const auto path = StoragePath::make(bed.build(), bed.host());
  Context context = bed.at(SimTime{0});
  path->send(context, PathBed::transfer(5, 4096, true));
  const auto sent = bed.sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].port == GpuPort::host);
  CHECK(frame_in(sent[0].payload).address.to().value == 5);
  const auto ends = bed.ends();
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].at == picoseconds(20 * 4096));  // 50 GB/s
}

TEST_CASE("control messages for storage go to the host too") {
  PathBed bed(1, true, true);
  const auto path = StoragePath::make(bed.build(), bed.host());
  Context context = bed.at(SimTime{0});
  path->send_control(context, Train{.kind = MessageKind::control,
                                    .bytes = 64,
                                    .address = Address(EndpointId{0}, EndpointId{5}, Connection{})});
  const auto sent = bed.sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].port == GpuPort::host);
  CHECK(kind_of(sent[0].payload) == MessageKind::control);
}
