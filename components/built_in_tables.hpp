#pragma once
#include "engine/model/table_registry.hpp"
#include "workloads/collective/algorithm_registry.hpp"

namespace lightrail {

/// The tables of this source tree, in a fixed order; their columns stand in the rooms that write them.
/// Enumerations have the labels of their names, the column of algorithms those of `algorithms`.
[[nodiscard]] TableRegistry built_in_tables(const AlgorithmRegistry& algorithms);

/// Labels the column of algorithms anew: for who adds algorithms after built_in_tables().
void label_algorithms(TableRegistry& tables, const AlgorithmRegistry& algorithms);

}  // namespace lightrail
