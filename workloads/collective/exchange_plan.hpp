#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"

namespace lightrail {

/// A collective as rounds of messages between pairs: what one member sends and receives. All receives are
/// awaited from the start; a round's messages leave when all that round `after` receives has come in. Rounds
/// of one lane follow one another, so messages of a pair and lane come in the order in which they are
/// awaited.
struct ExchangePlan {
  static constexpr std::uint32_t none = 0xffffffff;
  struct Message {
    EndpointId peer{};
    std::int64_t payload = 0, wire = 0;  ///< > 0 [B]
    SimTime after{};                     ///< receives: software time after the last byte
  };
  struct Round {
    std::vector<Message> sends, receives;
    std::uint32_t after = none;  ///< an earlier round
    /// Another one, anywhere in the list of a plan that says so; none: `after` alone.
    std::uint32_t also_after = none;
    std::uint32_t lane = 0;  ///< channel of its connections
  };
  std::vector<Round> rounds;
  bool is_by_gpu = false;        ///< the GPU posts to its own NIC itself: no proxy thread, no PXN
  bool is_out_of_order = false;  ///< a round may wait for one that comes later in the list
};

}  // namespace lightrail
