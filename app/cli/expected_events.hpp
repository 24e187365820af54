#pragma once
#include "engine/model/model.hpp"

namespace lightrail {

/// What a run may take.
struct Expected {
  double events = 0;
  double work_s = 0;  ///< processor time of one rank [s]

  [[nodiscard]] double seconds(int ranks) const { return work_s / ranks; }  ///< wall time
};

/// By the plans of the job's collectives: messages, within a server and to others, cut into trains; for each,
/// and for each operation, the events that it makes on its way and what these took where they were measured.
/// A guess that is right to a factor of 2 (docs/scaling.md). All-to-alls are taken to have equal shares, and
/// all that is recalled to be simulated. Nothing without a job, and by formula.
[[nodiscard]] Expected expected_events(const Model& model);

}  // namespace lightrail
