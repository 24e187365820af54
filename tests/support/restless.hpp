#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "engine/model/kind.hpp"

namespace lightrail::test {

/// A component that does every odd thing an engine must order right: bursts at equal times, several sends on
/// one link at once, events to itself now, soon and in hours, one favourite port. Each event carries a budget
/// of events it may cause. What it draws and records depends on the order of all events it has seen.
struct RestlessSpec : Spec {
  std::int64_t first_budget = 0;  ///< of the event it sends itself at the start; 0: none
  SimTime max_delay{1000};        ///< of a usual send or wake
  std::int64_t throws_at = -1;   ///< [ps] throws a SimulationError at its first event from then on; -1: never
  bool breaks_contract = false;  ///< throws a ContractError instead
  bool sets_timers = false;      ///< wakes that are idle once it has handled some more events
  bool throws_in_finish = false;
  bool throws_in_save = false;
  bool throws_in_waits = false;
  std::string waits;       ///< what it claims to wait for at the end
  double works_for_s = 0;  ///< wall time an event takes [s]
};

std::shared_ptr<const ComponentKind> restless_kind();

}  // namespace lightrail::test
