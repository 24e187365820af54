#pragma once
#include <cstdint>
#include <vector>

#include "workloads/program/program.hpp"

namespace lightrail {

/// Bytes that member `from` of a group of `size` sends to member `to` in the all-to-all `op` of the job.
[[nodiscard]] std::int64_t exchange_share(const ProgramSet& set, const Op& op, std::uint32_t from,
                                          std::uint32_t to, std::uint32_t size);
/// By receiver, all that `from` sends: in O(size), where the shares one by one take its square.
[[nodiscard]] std::vector<std::int64_t> exchange_row(const ProgramSet& set, const Op& op, std::uint32_t from,
                                                     std::uint32_t size);

}  // namespace lightrail
