#include "components/gpu/transport/paths/pxn_path.hpp"

#include <catch2/catch.hpp>

#include "tests/support/wire_messages.hpp"
#include "tests/unit/components/gpu/transport/paths/path_bed.hpp"

using namespace lightrail;
using namespace lightrail::test;

TEST_CASE("PXN leads to GPUs on the rails of neighbours, not to this GPU's own rail nor to hosts") {
  PathBed bed(1);
  const auto path = PxnPath::make(bed.build(), bed.host());
  REQUIRE(path);
  CHECK(!path->leads_to(SimTime{0}, EndpointId{2}, Cargo::message));  // rail 0
  CHECK(path->leads_to(SimTime{0}, EndpointId{3}, Cargo::message));   // rail 1
  CHECK(path->leads_to(SimTime{0}, EndpointId{3}, Cargo::control));
  CHECK(!path->leads_to(SimTime{0}, EndpointId{4}, Cargo::message));  // a host
  CHECK(!path->leads_to(SimTime{0}, EndpointId{3}, Cargo::message_by_gpu));
}

TEST_CASE("there is no PXN where the job switches it off") {
  PathBed bed(1, false);
  CHECK(!PxnPath::make(bed.build(), bed.host()));
}

TEST_CASE("PXN puts a message on NVLink under its own addresses and tells when it has left") {
  PathBed bed(1);
  const auto path = PxnPath::make(bed.build(), bed.host());
  Context context = bed.at(SimTime{0});
  path->send(context, PathBed::transfer(3, 4096, true));
  const auto sent = bed.sent();
  REQUIRE(!sent.empty());
  CHECK(sent[0].port == GpuPort::nvlink);
  CHECK(frame_in(sent[0].payload).address.from().value == 0);
  CHECK(frame_in(sent[0].payload).address.to().value == 3);
  const auto ends = bed.ends();
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].owner.slot == 7);
  CHECK(ends[0].at == picoseconds(20 * 4096));  // 50 GB/s
}
