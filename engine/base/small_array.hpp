#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace lightrail {

/// An array whose length is fixed when it is made; up to N elements lie in the object itself, so that they
/// come with its cache lines: first what leads to the elements, then these.
template <class T, std::size_t N>
class SmallArray {
 public:
  explicit SmallArray(std::size_t size)
      : first_(size > N ? new T[size]() : near_.data()),
        size_(static_cast<std::uint32_t>(size)),
        is_far_(size > N) {}
  SmallArray(SmallArray&& other) noexcept
      : first_(other.is_far_ ? other.first_ : near_.data()),
        size_(other.size_),
        is_far_(std::exchange(other.is_far_, false)),
        near_(std::move(other.near_)) {}
  SmallArray& operator=(SmallArray&&) = delete;
  ~SmallArray() {
    if (is_far_) delete[] first_;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return first_[i]; }
  const T& operator[](std::size_t i) const { return first_[i]; }
  T* begin() { return first_; }
  T* end() { return first_ + size_; }
  [[nodiscard]] const T* begin() const { return first_; }
  [[nodiscard]] const T* end() const { return first_ + size_; }

 private:
  T* first_;  ///< wherever they lie: found without asking where
  std::uint32_t size_;
  bool is_far_;  ///< not in near_
  std::array<T, N> near_{};
};

}  // namespace lightrail
