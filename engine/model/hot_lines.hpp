#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lightrail {

/// The cache lines of an object that are fetched ahead of its events, of its first 64.
class HotLines {
 public:
  explicit HotLines(const void* object) : object_(static_cast<const char*>(object)) {}

  /// `bytes` from `part`, which lies in the object, on.
  void add(const void* part, std::size_t bytes) {
    const auto from = static_cast<std::size_t>(static_cast<const char*>(part) - object_);
    for (std::size_t line = from / 64; line < std::min<std::size_t>((from + bytes + 63) / 64, 64); ++line)
      lines_ |= std::uint64_t{1} << line;
  }
  template <class Part>
  void add(const Part& part) {
    add(&part, sizeof part);
  }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }  ///< bit k: the one of byte 64 k

 private:
  const char* object_;
  std::uint64_t lines_ = 0;
};

}  // namespace lightrail
