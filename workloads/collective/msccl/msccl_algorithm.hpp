#pragma once
#include <memory>
#include <string>

#include "workloads/collective/algorithm.hpp"

namespace lightrail {

/// A collective as a file of MSCCL describes it, under the name that scenarios give it ("file:x.xml"). Every
/// step is a message, or a copy inside the GPU's memory; buffers hold what comes in before its step. Large
/// buffers go through the steps in several loops, of at most a step of NCCL's buffers a chunk each, as
/// MSCCL's interpreter has it; at most 64 loops. Left out: the time of sums, limits of buffers. Throws
/// InputErrors with the file's line for a file that is wrong, that deadlocks or does not compute its
/// collective.
[[nodiscard]] std::shared_ptr<const CollectiveAlgorithm> msccl_algorithm(const std::string& name,
                                                                         const std::string& path);

}  // namespace lightrail
