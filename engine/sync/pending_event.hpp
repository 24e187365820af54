#pragma once
#include <cstdint>

#include "engine/model/event.hpp"

namespace lightrail {

/// An event that waits, and its destination.
struct PendingEvent {
  Event event;
  ComponentId to{};
};

}  // namespace lightrail
