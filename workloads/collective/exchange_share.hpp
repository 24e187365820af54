#pragma once
#include <cstdint>

#include "workloads/program/program.hpp"

namespace lightrail {

/// Bytes that member `from` of a group of `size` sends to member `to` in the all-to-all `op` of the job.
[[nodiscard]] std::int64_t exchange_share(const ProgramSet& set, const Op& op, std::uint32_t from,
                                          std::uint32_t to, std::uint32_t size);

}  // namespace lightrail
