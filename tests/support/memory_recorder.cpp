#include "tests/support/memory_recorder.hpp"

#include <map>

#include "engine/base/hash.hpp"
#include "engine/base/polite_wait.hpp"

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
  all_reduce(&all, 1, MPI_INT64_T, MPI_BXOR, comm);  // bits alike, signed or not
  std::uint64_t boundaries = 0;
  for (SimTime boundary : flushes)
    boundaries = hash_combine(boundaries, static_cast<std::uint64_t>(boundary.count()));
  return all ^ boundaries;
}

void MemoryRecorder::save_rows(ComponentId component, StateWriter& out) {
  std::size_t count = 0;
  for (const Row& row : rows) count += row.component == component;
  out.put(count);
  for (const Row& row : rows)
    if (row.component == component)
      out.put(row.interval), out.put(row.table), out.put(row.time), out.put(row.values);
}

void MemoryRecorder::load_rows(ComponentId component, StateReader& in) {
  std::size_t count = 0;
  in.get(count);
  for (std::size_t i = 0; i < count; ++i) {
    Row& row = rows.emplace_back();
    row.component = component;
    in.get(row.interval), in.get(row.table), in.get(row.time), in.get(row.values);
  }
}

}  // namespace lightrail::test
