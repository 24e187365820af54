// Where the fields of a GPU's events to itself lie in their 16 bytes: the event hash of a run covers them.
#include "components/gpu/transport/gpu_wakes.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>

using namespace lightrail;

namespace {

template <class T>
std::array<std::uint32_t, 4> numbers_of(const T& wake) {
  return std::bit_cast<std::array<std::uint32_t, 4>>(to_payload(wake));
}

const Address address{EndpointId{0x12345}, EndpointId{0xabcde}, Connection{0xfedcba}};
using Numbers = std::array<std::uint32_t, 4>;

}  // namespace

TEST_CASE("an owner's wake has slot and number, an operation's end its index and how often it was set") {
  CHECK(numbers_of(OwnerWake{.kind = GpuWake::received, .owner = {7, 8}}) == Numbers{32, 0, 7, 8});
  CHECK(numbers_of(OwnerWake{.kind = GpuWake::timer, .owner = {7, 8}}) == Numbers{33, 0, 7, 8});
  CHECK(numbers_of(OpEndWake{.op = 7, .setting = 8}) == Numbers{34, 0, 7, 8});
  CHECK(numbers_of(PlainWake{.kind = GpuWake::proxy}) == Numbers{37, 0, 0, 0});
  CHECK(numbers_of(PlainWake{.kind = GpuWake::rail}) == Numbers{38, 0, 0, 0});
  CHECK(numbers_of(PlainWake{.kind = GpuWake::launched}) == Numbers{39, 0, 0, 0});
  CHECK(numbers_of(PlainWake{.kind = GpuWake::pace}) == Numbers{40, 0, 0, 0});
  CHECK(as<OwnerWake>(to_payload(OwnerWake{.owner = {7, 8}})).owner.sub == 8);
}

TEST_CASE("what goes on to another GPU keeps lane, bytes and address of its train") {
  const Train train{.kind = MessageKind::control, .lane = 3, .packets = 16, .bytes = 99, .address = address};
  ForwardWake wake = forward_wake(train);
  CHECK(!wake.is_train());
  CHECK(numbers_of(wake) == Numbers{36 | 3 << 8, 99, 0xfedabcde, 0xcba12345});
  wake.kind = GpuWake::forward_train, wake.is_resent = 1, wake.retries = 5;
  CHECK(wake.is_train());
  CHECK(numbers_of(wake) == Numbers{35 | 3 << 8 | 0xa004u << 16, 99, 0xfedabcde, 0xcba12345});
}

TEST_CASE("a timer of a GPU is read only as what its kind stands for") {
  CHECK_THROWS_AS(as<ForwardWake>(to_payload(OwnerWake{})), ContractError);
  CHECK_THROWS_AS(as<OwnerWake>(to_payload(OpEndWake{})), ContractError);
  CHECK_THROWS_AS(as<PlainWake>(to_payload(ForwardWake{})), ContractError);
}
