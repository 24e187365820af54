#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "components/gpu/gpu.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// GPU 0, without a program, which gets packets of so many bytes from another GPU over NVLink.
std::vector<std::string> waits_after(const std::vector<std::uint32_t>& packets) {
  NetworkBed bed;
  const ComponentId gpu = bed.add(gpu_kind(), std::make_shared<GpuSpec>(), "gpu");
  bed.book().endpoints.push_back({0, Lid{0}, 0, 0});
  bed.book().component_of.push_back(gpu);
  const ComponentId other = bed.add_endpoint(0, 1);
  bed.connect(gpu, GpuPort::nvlink, other, 0, bed.link_class(nanoseconds(100), BitRate{400'000'000'000}));
  SimTime at{0};
  for (const std::uint32_t bytes : packets)
    bed.script(other, at += nanoseconds(10), 0,
               train_payload(MessageKind::train, EndpointId{1}, EndpointId{0}, Connection{}, bytes, 1));
  bed.run(nanoseconds(115));
  return bed.waits();
}

}  // namespace

TEST_CASE("a GPU whose program has ended waits for nothing") {
  CHECK(waits_after({}).empty());
}

TEST_CASE("a GPU says how many bytes came in that nothing asked for") {
  CHECK(waits_after({4096, 904}) ==
        std::vector<std::string>{"gpu0: has ended, and 5000 B came in that no operation waited for"});
}
