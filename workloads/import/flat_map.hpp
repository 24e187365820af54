#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lightrail {

/// Values by a 64-bit key, in one array: a look-up is one cache line where std::unordered_map needs two and
/// an allocation an entry. Keys are at most 2^64 - 2. References hold until the next new key.
template <class Value>
class FlatMap {
 public:
  /// The key's value, added as Value{} when new.
  Value& operator[](std::uint64_t key) {
    if ((count_ + 1) * 4 > slots_.size() * 3) grow();
    Slot& slot = slots_[place(key)];
    if (slot.key == no_key) {
      slot.key = key;
      ++count_;
    }
    return slot.value;
  }

  /// `take(key, value)` of all, in no order that may reach a result.
  template <class Take>
  void each(Take&& take) const {
    for (const Slot& slot : slots_)
      if (slot.key != no_key) take(slot.key, slot.value);
  }

  [[nodiscard]] std::size_t size() const { return count_; }
  void clear() {
    std::vector<Slot>().swap(slots_);
    count_ = 0;
  }

 private:
  static constexpr std::uint64_t no_key = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = no_key;
    Value value{};
  };

  /// Of the key, or where it belongs.
  [[nodiscard]] std::size_t place(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::uint64_t x = key * 0x9e3779b97f4a7c15ull;
    x ^= x >> 32;
    std::size_t i = static_cast<std::size_t>(x) & mask;
    while (slots_[i].key != no_key && slots_[i].key != key) i = (i + 1) & mask;
    return i;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    for (Slot& slot : old)
      if (slot.key != no_key) slots_[place(slot.key)] = std::move(slot);
  }

  std::vector<Slot> slots_;  ///< a power of two of them, at most three quarters full
  std::size_t count_ = 0;
};

}  // namespace lightrail
