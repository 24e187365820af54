#include "network/transport/arriving_batches.hpp"

namespace lightrail {
namespace {

constexpr int flow_bits = endpoint_bits + Connection::bits, number_bits = 7, byte_bits = 24;
static_assert(CountedTrain::numbers == 1u << number_bits);
static_assert(CountedTrain::max_trains < 1u << (32 - byte_bits));
static_assert(ArrivingBatches::max_bytes < 1u << byte_bits);
constexpr int port_shift = flow_bits + number_bits;
static_assert(std::uint64_t{ArrivingBatches::max_ports - 1} << port_shift >> port_shift ==
              ArrivingBatches::max_ports - 1);

}  // namespace

std::uint64_t ArrivingBatches::key_of(const CountedTrain& train, PortIndex port) {
  return train.address.flow() | std::uint64_t{train.number} << flow_bits | std::uint64_t{port} << port_shift;
}

ArrivingBatches::Answer ArrivingBatches::add(const CountedTrain& train, PortIndex port) {
  LIGHTRAIL_EXPECT(port < max_ports);
  const std::uint64_t key = key_of(train, port);
  std::uint32_t& cell = index_.at(key);
  const bool is_first = cell == 0;
  cell += ((1u - train.trains) << byte_bits) + (is_first ? 0 : train.bytes);
  if (cell >> byte_bits != 0) return {is_first ? Told::train : Told::nothing, 0};
  const std::uint32_t rest = cell;
  index_.erase(key);
  return {Told::rest, rest};
}

}  // namespace lightrail
