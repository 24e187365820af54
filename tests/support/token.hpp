#pragma once
#include <cstdint>
#include <memory>

#include "engine/model/kind.hpp"

namespace lightrail::test {

/// Passes a token on over the port after the one it came in on, as often as the token says. Whoever starts
/// with `hops` > 0 makes a token; one that `expects` a token waits until it has seen one.
struct TokenSpec : Spec {
  std::uint32_t hops = 0;
  bool expects = false;
};

std::shared_ptr<const ComponentKind> token_kind();

}  // namespace lightrail::test
