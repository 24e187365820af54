#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

namespace lightrail {

/// An array whose length is fixed when it is made; up to N elements lie in the object itself, so that they
/// come with its cache lines: first what leads to the others, then these.
template <class T, std::size_t N>
class SmallArray {
 public:
  explicit SmallArray(std::size_t size)
      : far_(size > N ? std::make_unique<T[]>(size) : nullptr), size_(size) {}
  [[nodiscard]] std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return begin()[i]; }
  const T& operator[](std::size_t i) const { return begin()[i]; }
  T* begin() { return far_ ? far_.get() : near_.data(); }
  T* end() { return begin() + size_; }
  [[nodiscard]] const T* begin() const { return far_ ? far_.get() : near_.data(); }
  [[nodiscard]] const T* end() const { return begin() + size_; }

 private:
  std::unique_ptr<T[]> far_;
  std::array<T, N> near_{};
  std::size_t size_;
};

}  // namespace lightrail
