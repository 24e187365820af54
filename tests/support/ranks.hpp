#pragma once
#include <mpi.h>

#include <vector>

#include "engine/base/polite_wait.hpp"

namespace lightrail::test {

inline int rank() {
  int value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &value);
  return value;
}
inline int ranks() {
  int value = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &value);
  return value;
}

/// The values of all ranks, on all ranks.
template <class T>
std::vector<T> from_all_ranks(const T& mine) {
  std::vector<T> all(static_cast<std::size_t>(ranks()));
  MPI_Request request;
  MPI_Iallgather(&mine, sizeof(T), MPI_BYTE, all.data(), sizeof(T), MPI_BYTE, MPI_COMM_WORLD, &request);
  wait_politely(request);
  return all;
}

/// Whether every rank has the same value.
template <class T>
bool is_same_everywhere(const T& mine) {
  for (const T& value : from_all_ranks(mine))
    if (!(value == mine)) return false;
  return true;
}

}  // namespace lightrail::test
