#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "engine/base/prefetch.hpp"
#include "engine/model/context.hpp"

namespace lightrail {

/// About 1 KB of events; a bucket is a list of these and grows without moving events.
struct Chunk {
  static constexpr std::uint32_t capacity = 25;
  Delivery items[capacity];
  Chunk* next;
};
static_assert(sizeof(Chunk) <= 1024);

/// A bag of events; its order means nothing.
struct Bucket {
  Chunk* head = nullptr;
  std::uint32_t in_head = 0;
  std::uint32_t size = 0;

  template <class F>
  void for_each(F&& visit) const {
    std::uint32_t n = in_head;
    for (const Chunk* chunk = head; chunk; chunk = chunk->next, n = Chunk::capacity) {
      if (chunk->next) prefetch_lines(chunk->next, sizeof(Chunk));
      for (std::uint32_t i = 0; i < n; ++i) visit(chunk->items[i]);
    }
  }
};

/// Gives chunks to buckets and takes them back; never returns memory before its end.
class ChunkPool {
 public:
  void append(Bucket& bucket, const Delivery& delivery) { add(bucket) = delivery; }
  /// A place for one more event, to be written.
  Delivery& add(Bucket& bucket) {
    if (bucket.in_head == Chunk::capacity || !bucket.head) [[unlikely]]
      add_chunk(bucket);
    ++bucket.size;
    return bucket.head->items[bucket.in_head++];
  }
  void release(Bucket& bucket) {
    while (bucket.head) {
      Chunk* next = bucket.head->next;
      bucket.head->next = free_;
      free_ = bucket.head;
      bucket.head = next;
    }
    bucket = {};
  }

 private:
  void add_chunk(Bucket& bucket) {
    if (!free_) [[unlikely]]
      grow();
    Chunk* chunk = free_;
    free_ = chunk->next;
    chunk->next = bucket.head;
    bucket.head = chunk;
    bucket.in_head = 0;
  }
  void grow();
  struct Slab {
    static constexpr std::size_t chunks = 256;
    alignas(64) std::byte bytes[chunks * sizeof(Chunk)];
  };
  std::vector<std::unique_ptr<Slab>> slabs_;
  Chunk* free_ = nullptr;
};

}  // namespace lightrail
