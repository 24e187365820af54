#pragma once
#include <cstdint>

#include "engine/model/model.hpp"

namespace lightrail {

/// How many trains a message has at least where it meets others (TrainLengths): `<network
/// trains-per-message>`. A resource of the model; absent where it is `usual`.
struct TrainsPerMessage {
  static constexpr std::uint32_t usual = 8;

  std::uint32_t least = usual;  ///< 1: trains of messages are as long as others

  [[nodiscard]] static std::uint32_t of(const Model& model) {
    const auto* said = model.resource<TrainsPerMessage>();
    return said ? said->least : usual;
  }
};

}  // namespace lightrail
