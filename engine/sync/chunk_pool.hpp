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

/// A bag of events; no result depends on its order.
struct Bucket {
  Chunk* head = nullptr;                    ///< the newest
  std::uint32_t in_head = Chunk::capacity;  ///< events there; also where there is none: no room
  std::uint32_t chunks = 0;

  [[nodiscard]] bool is_full() const { return in_head == Chunk::capacity; }
  [[nodiscard]] std::uint32_t size() const { return chunks * Chunk::capacity + in_head - Chunk::capacity; }
  /// A place for one more event; must not be full.
  Delivery& add() { return head->items[in_head++]; }
  /// The first that was added comes first; the bucket is to be released then.
  template <class F>
  void for_each_in_order(F&& visit) {
    Chunk* newer = nullptr;
    for (Chunk* chunk = head; chunk;) {
      Chunk* const older = chunk->next;
      chunk->next = newer;
      newer = chunk;
      chunk = older;
    }
    head = newer;
    for (const Chunk* chunk = head; chunk; chunk = chunk->next) {
      if (chunk->next) prefetch_lines(chunk->next, sizeof(Chunk));
      const std::uint32_t n = chunk->next ? Chunk::capacity : in_head;
      for (std::uint32_t i = 0; i < n; ++i) visit(chunk->items[i]);
    }
  }
  /// The last that was added comes first.
  template <class F>
  void for_each(F&& visit) const {
    std::uint32_t n = in_head;
    for (const Chunk* chunk = head; chunk; chunk = chunk->next, n = Chunk::capacity) {
      if (chunk->next) prefetch_lines(chunk->next, sizeof(Chunk));
      for (const Delivery* item = chunk->items + n; item != chunk->items;) visit(*--item);
    }
  }
};

/// Gives chunks to buckets and takes them back; never returns memory before its end.
class ChunkPool {
 public:
  void append(Bucket& bucket, const Delivery& delivery) { add(bucket) = delivery; }
  /// A place for one more event, to be written.
  Delivery& add(Bucket& bucket) {
    if (bucket.is_full()) [[unlikely]]
      add_chunk(bucket);
    return bucket.add();
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
    ++bucket.chunks;
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
