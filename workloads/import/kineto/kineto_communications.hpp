#pragma once
#include "workloads/import/kineto/kineto_collector.hpp"
#include "workloads/import/kineto/kineto_rank.hpp"

namespace lightrail {

/// Fills `trace.communications` and `trace.groups`: what every NCCL kernel among `trace.operations` moves,
/// from its own arguments and from the calls around its launch; a kernel of a batch of sends and receives has
/// all of them. An all-to-all for which this rank gives and takes nothing has no kernel: it gets an operation
/// of no duration. Throws InputErrors naming file and event.
void link_communications(const KinetoEvents& events, const KinetoRankOptions& options, RankTrace& trace);

}  // namespace lightrail
