#pragma once
#include <cstdint>

#include "network/wire/message.hpp"

namespace lightrail::test {

/// What the components of engine tests tell one another.
struct Numbers {
  std::uint8_t kind = 0;
  std::uint8_t unused[7] = {};
  std::uint32_t first = 0, second = 0;

  static constexpr bool carries(std::uint8_t kind) { return kind == 0; }
};
static_assert(Message<Numbers>);

}  // namespace lightrail::test
