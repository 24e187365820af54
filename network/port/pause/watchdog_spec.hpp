#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/time.hpp"
#include "engine/model/describe.hpp"
#include "network/port/flow_control.hpp"
#include "network/port/pause/pause_flow_control.hpp"

namespace lightrail {

/// <watchdog> of an Ethernet switch: what it does about a class that is paused and does not come to an end.
/// Its times are the 200 ms that Microsoft's switches and SONiC's have (docs/ethernet.md).
struct WatchdogSpec {
  std::uint32_t lane = 0;  ///< class
  SimTime detect = milliseconds(200), restore = milliseconds(200);
  StormAction action = StormAction::drop;
  InputError at{};  ///< where it stands
};

[[nodiscard]] Describe<WatchdogSpec> watchdog_parameters();
/// "drop after 200 ms, until 200 ms without a pause".
[[nodiscard]] std::string watchdog_text(const WatchdogSpec& spec);

/// Reads the <watchdog> of an element. Adds errors: a class that is none of the `lanes`, is not `lossless` or
/// has two of them.
[[nodiscard]] std::vector<WatchdogSpec> read_watchdogs(const Element& element, std::uint32_t lanes,
                                                       LaneMask lossless, ErrorList& errors);

/// `settings` with these.
[[nodiscard]] PauseSettings watched(PauseSettings settings, const std::vector<WatchdogSpec>& watchdogs);

}  // namespace lightrail
