#pragma once
#include <cstdint>
#include <memory>

#include "engine/model/kind.hpp"
#include "tests/support/test_model.hpp"

namespace lightrail::test {

/// The PHOLD benchmark with the parameters of ROSS: every event causes one event after lookahead + an
/// exponential delay, to a random neighbour with probability `remote`, else to itself.
struct PholdSpec : Spec {
  SimTime lookahead{100'000};
  double mean_delay = 1e6;  ///< [ps]
  double remote = 0.25;
};

std::shared_ptr<const ComponentKind> phold_kind();

/// `count` components in a random graph of `degree` cables each, in atoms of `atom` components.
Model make_phold(std::uint32_t count, std::uint32_t degree, std::uint32_t atom, std::uint64_t seed);

}  // namespace lightrail::test
