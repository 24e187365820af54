#pragma once
#include <cstdint>

namespace lightrail {

/// How many trains a message has at least where it meets others (TrainLengths): `<network
/// trains-per-message>`. A resource of the model; absent where it is `usual`.
struct TrainsPerMessage {
  static constexpr std::uint32_t usual = 8;

  std::uint32_t least = usual;  ///< 1: trains of messages are as long as others
};

}  // namespace lightrail
