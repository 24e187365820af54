#pragma once
#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/polite_wait.hpp"

namespace lightrail {

/// Collective: the bytes of all ranks, one rank after the other, on rank 0; nothing on the others. Together
/// less than 2 GiB.
[[nodiscard]] inline std::vector<std::byte> gather_to_zero(std::span<const std::byte> mine, MPI_Comm comm) {
  int ranks = 1, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  if (ranks == 1) return {mine.begin(), mine.end()};
  constexpr std::size_t limit = (std::size_t{1} << 31) - 1;
  LIGHTRAIL_EXPECT(mine.size() <= limit);
  const int size = static_cast<int>(mine.size());
  std::vector<int> sizes(static_cast<std::size_t>(ranks)), starts(sizes.size());
  MPI_Request request;
  MPI_Igather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, comm, &request);
  wait_politely(request);
  std::size_t total = 0;
  if (rank == 0)
    for (std::size_t r = 0; r < sizes.size(); ++r) {
      starts[r] = static_cast<int>(total);
      total += static_cast<std::size_t>(sizes[r]);
      LIGHTRAIL_EXPECT(total <= limit);
    }
  std::vector<std::byte> all(total);
  MPI_Igatherv(mine.data(), size, MPI_BYTE, all.data(), sizes.data(), starts.data(), MPI_BYTE, 0, comm,
               &request);
  wait_politely(request);
  return all;
}

}  // namespace lightrail
