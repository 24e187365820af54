#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "components/gpu/gpu.hpp"
#include "network/wire/counted_train.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// GPU 0, without a program, and what comes in at a port of it.
std::vector<std::string> waits_after(PortIndex port, const std::vector<Payload>& messages) {
  NetworkBed bed;
  const ComponentId gpu = bed.add(gpu_kind(), std::make_shared<GpuSpec>(), "gpu");
  bed.book().endpoints.push_back({0, Lid{0}, 0, 0});
  bed.book().component_of.push_back(gpu);
  const ComponentId other = bed.add_endpoint(0, 1);
  bed.connect(gpu, port, other, 0, bed.link_class(nanoseconds(100), BitRate{400'000'000'000}));
  SimTime at{0};
  for (const Payload& message : messages) bed.script(other, at += nanoseconds(10), 0, message);
  bed.run(nanoseconds(115));
  return bed.waits();
}

/// Packets of so many bytes from another GPU over NVLink.
std::vector<std::string> waits_after(const std::vector<std::uint32_t>& packets) {
  std::vector<Payload> messages;
  for (const std::uint32_t bytes : packets)
    messages.push_back(
        train_payload(MessageKind::train, EndpointId{1}, EndpointId{0}, Connection{}, bytes, 1));
  return waits_after(GpuPort::nvlink, messages);
}

}  // namespace

TEST_CASE("a GPU whose program has ended waits for nothing") {
  CHECK(waits_after({}).empty());
}

TEST_CASE("a GPU says how many bytes came in that nothing asked for") {
  CHECK(waits_after({4096, 904}) ==
        std::vector<std::string>{"gpu0: has ended, and 5000 B came in that no operation waited for"});
}

TEST_CASE("of a batch of trains from its NIC a GPU counts the first and the rest") {
  const Address address(EndpointId{1}, EndpointId{0}, Connection{});
  CHECK(waits_after(GpuPort::nic,
                    {train_payload(MessageKind::train, EndpointId{1}, EndpointId{0}, Connection{}, 4096, 1),
                     to_payload(BatchRest::of(address, 36'000, 904))}) ==
        std::vector<std::string>{"gpu0: has ended, and 40096 B came in that no operation waited for"});
}
