#include "tests/support/memory_recorder.hpp"

#include <map>

#include "engine/base/hash.hpp"
#include "engine/sync/wait_yielding.hpp"

namespace lightrail::test {

std::uint64_t MemoryRecorder::digest(MPI_Comm comm) const {
  std::map<ComponentId, std::uint64_t> by_component;
  for (const Row& row : rows) {
    std::uint64_t& hash = by_component[row.component];
    hash = hash_combine(hash, row.interval);
    hash = hash_combine(hash, row.table);
    hash = hash_combine(hash, static_cast<std::uint64_t>(row.time.count()));
    for (auto value : row.values) hash = hash_combine(hash, static_cast<std::uint64_t>(value));
  }
  std::uint64_t all = 0;
  for (const auto& [component, hash] : by_component) all ^= hash_combine(mix64(component.value + 1), hash);
  all_reduce(&all, 1, MPI_UINT64_T, MPI_BXOR, comm);
  std::uint64_t boundaries = 0;
  for (SimTime boundary : flushes)
    boundaries = hash_combine(boundaries, static_cast<std::uint64_t>(boundary.count()));
  return all ^ boundaries;
}

}  // namespace lightrail::test
