#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
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
      : first_(has_partners ? &(new Pair[size])->first
               : size > N   ? new T[size]()
                            : near_.data(),
               Free{static_cast<std::uint32_t>(size), std::uint8_t(has_partners ? 7 : 6), size > N}) {}
  PairedArray(const PairedArray&) = delete;  // elements may lie in it
  PairedArray& operator=(const PairedArray&) = delete;
  /// What leads to the elements.
  [[nodiscard]] std::span<const std::byte> header() const {
    return {reinterpret_cast<const std::byte*>(&first_), sizeof first_};
  }
  [[nodiscard]] std::size_t size() const { return first_.get_deleter().size; }
  [[nodiscard]] bool has_partners() const { return shift() == 7; }
  T& operator[](std::size_t i) { return *at(i); }
  const T& operator[](std::size_t i) const { return *at(i); }
  /// Only where there are partners.
  U& partner(std::size_t i) { return pair(i)->second; }
  [[nodiscard]] const U& partner(std::size_t i) const { return pair(i)->second; }
  static U& partner_of(T& element) { return reinterpret_cast<Pair&>(element).second; }

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
  Iterator<PairedArray> end() { return {*this, size()}; }
  [[nodiscard]] Iterator<const PairedArray> begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator<const PairedArray> end() const { return {*this, size()}; }

 private:
  struct alignas(128) Pair {
    T first{};
    U second{};
  };
  struct Free {
    std::uint32_t size = 0;
    std::uint8_t shift = 0;  ///< from one element to the next are 1 << shift bytes
    bool is_far = false;     ///< they do not lie in the object
    void operator()(T* first) const {
      if (shift == 7)
        delete[] reinterpret_cast<Pair*>(first);
      else if (is_far)
        delete[] first;
    }
  };
  [[nodiscard]] std::uint8_t shift() const { return first_.get_deleter().shift; }
  [[nodiscard]] T* at(std::size_t i) const {
    return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(first_.get()) + (i << shift()));
  }
  [[nodiscard]] Pair* pair(std::size_t i) const { return reinterpret_cast<Pair*>(at(i)); }

  std::array<T, N> near_{};
  std::unique_ptr<T[], Free> first_;  ///< wherever they lie: found without asking where
};

}  // namespace lightrail
