#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/sync/chunk_pool.hpp"

namespace lightrail {

/// Events of rounds after `base`, by round number, in levels of 64 slots: level l holds the rounds that first
/// differ from `base` in their l-th group of six bits. An event moves down at most once a level.
class FarWheel {
 public:
  explicit FarWheel(ChunkPool& pool) : pool_(&pool) {}

  [[nodiscard]] bool is_empty() const { return size_ == 0; }
  [[nodiscard]] std::int64_t base() const { return base_; }

  /// Needs round > base().
  void push(const Delivery& delivery, std::int64_t round) { add(delivery.event.time, round) = delivery; }
  /// The same for an event that the caller writes in full.
  Delivery& add(SimTime time, std::int64_t round) {
    LIGHTRAIL_EXPECT(round > base_);
    const int level = level_of(round);
    const int slot = digit(round, level);
    Slot& s = levels_[level][slot];
    if (time < s.first) s.first = time;
    occupied_[level] |= std::uint64_t{1} << slot;
    ++size_;
    return pool_->add(s.bucket);
  }

  /// Time of the first event; time_never when empty. All events of a level are before those of the next.
  [[nodiscard]] SimTime next_time() const {
    for (int level = 0; level < level_count; ++level)
      if (occupied_[level]) return levels_[level][std::countr_zero(occupied_[level])].first;
    return time_never;
  }

  template <class F>
  void for_each(F&& visit) const {
    for (const auto& level : levels_)
      for (const Slot& slot : level) slot.bucket.for_each(visit);
  }

  /// Makes `round` the base. Needs that no event lies before it; its own events go to `pour(delivery)`,
  /// others that shared a slot with it move down.
  template <class RoundOf, class Pour>
  void advance(std::int64_t round, RoundOf&& round_of, Pour&& pour) {
    if (round == base_) return;
    LIGHTRAIL_EXPECT(round > base_);
    const int level = level_of(round);
    const int slot = digit(round, level);
    base_ = round;
    if (!(occupied_[level] >> slot & 1)) return;
    occupied_[level] &= ~(std::uint64_t{1} << slot);
    Bucket bucket = std::exchange(levels_[level][slot], {}).bucket;
    size_ -= bucket.size();
    bucket.for_each_in_order([&](const Delivery& delivery) {
      // A slot of the lowest level has one round.
      const std::int64_t r = level == 0 ? round : round_of(delivery.event.time);
      if (r == round)
        pour(delivery);
      else
        push(delivery, r);
    });
    pool_->release(bucket);
  }

 private:
  static constexpr int level_count = 11;  // 66 bits
  struct Slot {
    Bucket bucket;
    SimTime first = time_never;
  };
  [[nodiscard]] int level_of(std::int64_t round) const {
    const auto difference = static_cast<std::uint64_t>(round ^ base_);
    return (static_cast<int>(std::bit_width(difference)) - 1) / 6;
  }
  [[nodiscard]] static int digit(std::int64_t round, int level) {
    return static_cast<int>(static_cast<std::uint64_t>(round) >> (6 * level) & 63);
  }

  ChunkPool* pool_;
  std::int64_t base_ = 0;
  std::int64_t size_ = 0;
  std::array<std::uint64_t, level_count> occupied_{};
  std::array<std::array<Slot, 64>, level_count> levels_{};
};

}  // namespace lightrail
