#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"
#include "network/wire/train.hpp"
#include "workloads/collective/transport.hpp"

namespace lightrail {

/// A collective as slices that are passed on: what one member receives, waits for and sends.
///
/// A stage handles slices 0 ... slices - 1 of its bytes in order. Slice k is ready when it has come in on
/// every input and the stage `after` (of the same member) has had it ready; it is then sent on every output.
/// A member is done when all its stages have had all their slices. So slices of one stage follow one another
/// through all members at the same time.
struct RelayStage {
  static constexpr std::uint32_t none = 0xffffffff;
  struct Input {
    EndpointId from{};
    Connection connection{};
    SimTime after{};            ///< software time after the last byte
    bool is_of_switch = false;  ///< through a switch's arithmetic: its efficiency instead of the protocol's
    Connection clear{};         ///< hands slots of the buffer back to the sender; only over the network
  };
  struct Output {
    EndpointId to{};
    Connection connection{};
    InSwitch in_switch = InSwitch::nothing;
    Connection clear{};
  };
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::uint32_t after = none;
  /// A slice is sent only when all but `ahead` of those before it have come back by the stage `back`.
  std::uint32_t back = none, ahead = 0;
  std::int64_t bytes = 0;
  std::uint32_t slices = 0;  ///< 0: no bytes
  /// Place of its first input's count in CommRun::counts; the outputs' behind.
  std::uint32_t first_count = 0;
  [[nodiscard]] std::uint32_t count_of_output(std::uint32_t output) const {
    return first_count + static_cast<std::uint32_t>(inputs.empty() ? 1 : inputs.size()) + output;
  }
};

/// RelayBuilder makes one.
struct RelayPlan {
  std::vector<RelayStage> stages;  ///< a stage stands behind the one it waits for
  std::uint32_t counts = 0;        ///< one an input, at least one a stage, and one an output
  double switch_efficiency = 0;    ///< share of the wire that payload through a switch's arithmetic reaches
  std::int64_t net_chunk = 0;      ///< what the proxy thread posts as one message [B]
};

}  // namespace lightrail
