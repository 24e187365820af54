#pragma once
#include <cstdint>
#include <memory>

#include "engine/model/kind.hpp"

namespace lightrail::test {

/// Passes a token on over the port after the one it came in on, as often as the token says. Whoever starts
/// with `hops` > 0 makes a token; one that `expects` a token waits until it has seen one. One that
/// `gives_up_at` some time has a timer from the start on: has it seen none by then, it makes one of one hop,
/// else the timer was an idle wake.
struct TokenSpec : Spec {
  std::uint32_t hops = 0;
  bool expects = false;
  SimTime gives_up_at{0};  ///< 0: never
};

std::shared_ptr<const ComponentKind> token_kind();

}  // namespace lightrail::test
