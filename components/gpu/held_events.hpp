#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/component.hpp"
#include "workloads/collective/transport.hpp"

namespace lightrail {

/// What a GPU that stands still has been told and does not yet hear. What is under way to it or from it goes
/// on: its NIC, NVLink and its host work without it.
struct HeldEvents {
  struct Told {
    Payload payload;
    std::uint64_t port = 0;
  };
  /// MessageEnd without padding.
  struct End {
    Owner owner{};
    SimTime at{};
    std::uint64_t is_sent = 0;
  };
  std::vector<Told> told;
  std::vector<End> ends;

  [[nodiscard]] bool is_empty() const { return told.empty() && ends.empty(); }
};

}  // namespace lightrail
