#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

namespace lightrail {

/// An array whose length is fixed when it is made; up to N elements lie in the object itself, so that they
/// come with its cache lines. As a [[no_unique_address]] member it shares its last line with the members
/// behind it.
template <class T, std::size_t N>
class SmallArray {
 public:
  explicit SmallArray(std::size_t size)
      : size_(size), far_(size > N ? std::make_unique<T[]>(size) : nullptr) {}
  [[nodiscard]] std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return begin()[i]; }
  const T& operator[](std::size_t i) const { return begin()[i]; }
  T* begin() { return far_ ? far_.get() : near_.data(); }
  T* end() { return begin() + size_; }
  [[nodiscard]] const T* begin() const { return far_ ? far_.get() : near_.data(); }
  [[nodiscard]] const T* end() const { return begin() + size_; }

 private:
  std::array<T, N> near_{};
  std::size_t size_;
  std::unique_ptr<T[]> far_;
};

}  // namespace lightrail
