#include "engine/sync/chunk_pool.hpp"

namespace lightrail {

void ChunkPool::grow() {
  auto& slab = slabs_.emplace_back(std::make_unique_for_overwrite<Slab>());
  for (std::size_t i = 0; i < Slab::chunks; ++i) {
    auto* chunk = reinterpret_cast<Chunk*>(slab->bytes + i * sizeof(Chunk));
    chunk->next = free_;
    free_ = chunk;
  }
}

}  // namespace lightrail
