#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "engine/base/time.hpp"

namespace lightrail {

/// What the time of a job goes into.
enum class GoodputUse : std::uint8_t {
  effective,       ///< steps that counted
  checkpoint,      ///< training stands still while it saves
  saving,          ///< what training beside a background write takes longer
  lost,            ///< steps that a failure undid
  detection,       ///< until a failure is acted on
  replacement,     ///< another server, or the wait for a repair
  rendezvous,      ///< processes find each other; of replicas: a quorum
  initialisation,  ///< communicators
  load,            ///< of the checkpoint
  warm_up,         ///< slow first steps
  degraded         ///< replica groups that are away, as a share of steps that counted
};
inline constexpr std::size_t goodput_uses = 11;

/// By use; the texts of results.
[[nodiscard]] const std::array<const char*, goodput_uses>& goodput_use_names();

/// What one run over the whole period came to.
struct GoodputSample {
  std::array<SimTime, goodput_uses> time{};               ///< by use; together the period
  std::vector<std::uint32_t> failures;                    ///< by category
  std::int64_t attempted_steps = 0, committed_steps = 0;  ///< of replicas; else 0
  std::uint32_t lost_groups = 0;  ///< times that memory had lost the state of a group of servers

  [[nodiscard]] SimTime& operator[](GoodputUse use) { return time[static_cast<std::size_t>(use)]; }
  [[nodiscard]] SimTime operator[](GoodputUse use) const { return time[static_cast<std::size_t>(use)]; }
};

}  // namespace lightrail
