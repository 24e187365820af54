#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/import/kineto/kineto_rank.hpp"

namespace lightrail {

/// Fills the lists of process groups that PyTorch cut at 30 ranks or left out: from distributedInfo, from a
/// whole list in another file, from who takes part, and where the group has as many members as there are
/// ranks, everybody. `notes` gets what was inferred. Throws InputErrors where nothing says who the members
/// are.
void complete_groups(std::vector<RankTrace>& ranks, std::vector<std::string>& notes);

/// The same of a rank whose others have no traces, of `ranks` in all.
void complete_groups_of_one(RankTrace& trace, std::uint32_t ranks);

}  // namespace lightrail
