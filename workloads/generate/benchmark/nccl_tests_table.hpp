#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "workloads/program/program.hpp"

namespace lightrail {

/// One measured size of a collective.
struct CollectiveRow {
  CollectiveType collective = CollectiveType::all_reduce;
  std::int64_t size_bytes = 0;  ///< nccl-tests' size
  std::uint32_t group_size = 1;
  std::uint32_t element_bytes = 4;
  std::uint32_t root = 0;    ///< broadcast
  std::int64_t time_ps = 0;  ///< of one run
};

/// Bytes of the algorithm bandwidth that cross the slowest link, as nccl-tests count: 2(n-1)/n, (n-1)/n or 1.
[[nodiscard]] double bus_factor(CollectiveType collective, std::uint32_t group_size);

/// The table that nccl-tests print, one block a collective in the order given: size count type redop root
/// time algbw busbw. Times in us, bandwidths in 1e9 B/s.
[[nodiscard]] std::string nccl_tests_table(std::span<const CollectiveRow> rows);

}  // namespace lightrail
