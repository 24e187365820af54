#pragma once
#include <cstdint>
#include <string>

#include "engine/record/hdf5_recorder.hpp"

namespace lightrail::test {

/// A model without behaviour: `servers` servers of 8 GPUs, each one atom, with kinds, links and names to
/// write.
Model synthetic_model(std::uint32_t servers);

/// Atoms dealt out in turn, so that every rank's components are interleaved with the others'.
Partition dealt_partition(const Model& model, int ranks);

/// What the components of this rank record in `intervals` intervals: a pure function of the component, in an
/// order of components that differs between ranks. Rows of one component and time keep a sequence.
void record_synthetic_rows(Recorder& recorder, const Model& model, const Partition& partition, int rank,
                           int intervals, int rows_per_component);

RunOutcome synthetic_outcome();

}  // namespace lightrail::test
