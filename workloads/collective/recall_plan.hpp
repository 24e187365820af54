#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"
#include "engine/model/model.hpp"
#include "workloads/collective/group_plan.hpp"

namespace lightrail {

/// Which collectives may be recalled (<run recall="collectives">): known before the run, from all programs. A
/// Model resource.
///
/// A circle is a set of GPUs of one server that no operation of any program joins to another GPU over NVLink:
/// what is on their ports of the NVSwitch is theirs. A collective over a whole circle that no other operation
/// of a member which uses NVLink, or copies within its memory, can run beside has these ports for itself from
/// its start to its end.
struct RecallPlan {
  static constexpr std::uint32_t none = 0xffffffff;
  struct Circle {
    std::vector<EndpointId> members;  ///< ascending
    SimTime soonest = time_never;  ///< from the start of an operation of theirs to its first byte, at least
  };

  std::vector<Circle> circles;
  std::vector<std::uint32_t> circle_of;  ///< by GPU: index, or none
  /// By program and op: collectives with the same number do the same in a given group; 0 of what is none.
  std::vector<std::vector<std::uint32_t>> alike;
  std::vector<std::vector<bool>> is_alone;  ///< by program and op
  /// Stretches of lines (LineRecord::Run) that an NVSwitch keeps for a circle at most: some ten megabytes.
  std::size_t max_runs = 1u << 18;

  /// Whether `group`, which `gpu` is in, is its whole circle.
  [[nodiscard]] bool is_whole(const GroupPlan& group, EndpointId gpu) const {
    const std::uint32_t circle = circle_of[gpu.value];
    return circle != none && group.servers() == 1 && group.size() == circles[circle].members.size();
  }
};

/// The resource, and a remark which groups are circles. `model` has what prepare_execution() made; nothing
/// for one without programs.
[[nodiscard]] ModelPart make_recall_plan(const Model& model);

}  // namespace lightrail
