#pragma once
#include <cstdint>

#include "engine/model/event.hpp"

namespace lightrail {

/// An event that waits, and its destination on this rank.
struct PendingEvent {
  Event event;
  std::uint32_t local = 0;
};

}  // namespace lightrail
