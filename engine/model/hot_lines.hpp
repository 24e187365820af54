#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/base/error.hpp"
#include "engine/base/prefetch.hpp"

namespace lightrail {

/// The cache lines of an object that are fetched ahead of its events, of its first 64.
class HotLines {
 public:
  explicit HotLines(const void* object) : object_(static_cast<const char*>(object)) {}

  /// `bytes` from `part`, which lies in the object, on.
  void add(const void* part, std::size_t bytes) {
    const auto from = static_cast<std::size_t>(static_cast<const char*>(part) - object_);
    const std::size_t end = std::min<std::size_t>(from / 64 + lines_with(from, bytes), 64);
    for (std::size_t line = from / 64; line < end; ++line) lines_ |= std::uint64_t{1} << line;
  }
  template <class Part>
  void add(const Part& part) {
    add(&part, sizeof part);
  }
  /// All from `first` to `last`: members of one part, which has them in this order. Neither is a reference,
  /// whose address is that of what it refers to.
  template <class First, class Last>
  void add_all(const First& first, const Last& last) {
    const auto *begin = reinterpret_cast<const char*>(&first),
               *end = reinterpret_cast<const char*>(&last + 1);
    LIGHTRAIL_EXPECT(begin < end);
    add(begin, static_cast<std::size_t>(end - begin));
  }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }  ///< bit k: the one of byte 64 k

 private:
  const char* object_;
  std::uint64_t lines_ = 0;
};

}  // namespace lightrail
