#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace lightrail {

/// An array whose length is fixed when it is made, of T that fill a cache line each. With partners, a U lies
/// in the line behind each T: one address leads to both, and processors that fetch lines in pairs bring both.
/// Without, up to N elements lie in the object itself. As a [[no_unique_address]] member it shares its last
/// line with the members behind it.
template <class T, class U, std::size_t N>
class PairedArray {
  static_assert(sizeof(T) == 64 && sizeof(U) == 64 && alignof(T) == 64);

 public:
  PairedArray(std::size_t size, bool has_partners)
      : size_(size),
        pairs_(has_partners ? std::make_unique<Pair[]>(size) : nullptr),
        far_(!has_partners && size > N ? std::make_unique<T[]>(size) : nullptr) {}
  /// What leads to the elements.
  [[nodiscard]] std::span<const std::byte> header() const {
    return {reinterpret_cast<const std::byte*>(&size_), sizeof size_ + sizeof pairs_ + sizeof far_};
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool has_partners() const { return pairs_ != nullptr; }
  T& operator[](std::size_t i) { return pairs_ ? pairs_[i].first : far_ ? far_[i] : near_[i]; }
  const T& operator[](std::size_t i) const { return pairs_ ? pairs_[i].first : far_ ? far_[i] : near_[i]; }
  /// Only where there are partners.
  U& partner(std::size_t i) { return pairs_[i].second; }
  [[nodiscard]] const U& partner(std::size_t i) const { return pairs_[i].second; }

  /// Over the T.
  template <class Array>
  class Iterator {
   public:
    Iterator(Array& array, std::size_t i) : array_(&array), i_(i) {}
    auto& operator*() const { return (*array_)[i_]; }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    Array* array_;
    std::size_t i_;
  };
  Iterator<PairedArray> begin() { return {*this, 0}; }
  Iterator<PairedArray> end() { return {*this, size_}; }
  [[nodiscard]] Iterator<const PairedArray> begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator<const PairedArray> end() const { return {*this, size_}; }

 private:
  struct alignas(128) Pair {
    T first{};
    U second{};
  };
  std::array<T, N> near_{};
  std::size_t size_;
  std::unique_ptr<Pair[]> pairs_;
  std::unique_ptr<T[]> far_;
};

}  // namespace lightrail
