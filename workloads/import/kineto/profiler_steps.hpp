#pragma once
#include <string>
#include <vector>

#include "workloads/import/kineto/kineto_collector.hpp"
#include "workloads/import/kineto/kineto_rank.hpp"

namespace lightrail {

/// Keeps of `trace` what was launched in the profiler's steps ("ProfilerStep#3") that `wanted` names: "3" or
/// "2-4", by the numbers of the trace; "": everything, and where there are several steps a note says that
/// they are one iteration. Throws InputErrors for a step that the trace does not have.
void choose_steps(const std::vector<KinetoEvents::Step>& steps, const std::string& wanted, RankTrace& trace);

}  // namespace lightrail
