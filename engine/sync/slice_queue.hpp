#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/sync/far_wheel.hpp"
#include "engine/sync/rank_model.hpp"
#include "engine/sync/slicer.hpp"

namespace lightrail {

/// One rank's pending events. Time is cut into slices no wider than the smallest link latency, so inside a
/// slice only a component's events to itself can be new, and the order per destination is all that matters. A
/// ring holds the next slices as buckets by block of components, the wheel everything later; a bucket is
/// sorted when its slice comes. The model's tiles take turns of several slices, so that the state a tile
/// works on stays in the cache meanwhile.
class SliceQueue {
 public:
  /// `block`: components a block of the ring; more where that would be over max_blocks, for every slice of
  /// the ring has a bucket a block, and one that is not empty takes 1 KB.
  SliceQueue(RankModel& model, SimTime slice, std::uint32_t block);
  static constexpr std::uint32_t max_blocks = 16384;
  [[nodiscard]] std::uint32_t blocks() const { return block_starts_.back(); }
  [[nodiscard]] std::int64_t tile_slices() const { return tile_slices_; }  ///< slices a turn of a tile

  /// Needs a time not before the slices already drained, and a place on this rank.
  void push(const Delivery& delivery) { add(delivery.event.time, delivery.place) = delivery; }
  /// The same for an event that the caller writes in full.
  [[gnu::always_inline]] Delivery& add(SimTime time, std::uint32_t place) {
    ++pending_;
    const std::int64_t slice = slicer_.slice_of(time);
    if (slice - first_slice_ < ring_slices) [[likely]]
      return put(slice, time, place);
    return wheel_.add(time, slice / round_slices);
  }
  /// The same where the ring has room for it at hand, as for most events; else null, and add() is to be
  /// called.
  [[gnu::always_inline]] Delivery* add_quickly(SimTime time, std::uint32_t place) {
    const auto after = static_cast<std::uint64_t>((time - ring_start_).count());
    if (after >= ring_width_) return nullptr;
    Slice& s = ring_[after * per_slice_ >> per_slice_shift ^ first_index_];
    Bucket& bucket = s.blocks[place >> block_bits_];
    if (bucket.is_full()) return nullptr;
    if (time < s.first) s.first = time;
    ++pending_;
    return &bucket.add();
  }
  /// Time of the first event; time_never when empty.
  [[nodiscard]] SimTime next_time() const {
    const std::uint64_t in_order = std::rotr(occupied_, static_cast<int>(first_slice_ % ring_slices));
    if (in_order == 0) return wheel_.next_time();
    return ring_[static_cast<std::size_t>((first_slice_ + std::countr_zero(in_order)) % ring_slices)].first;
  }
  /// visit(delivery) for all events, in any order.
  template <class F>
  void for_each(F&& visit) const {
    for (const Slice& slice : ring_)
      for (const Bucket& bucket : slice.blocks) bucket.for_each(visit);
    wheel_.for_each(visit);
  }
  [[nodiscard]] const Slicer& slicer() const { return slicer_; }
  [[nodiscard]] std::int64_t pending() const { return pending_; }

  /// Takes the events of the first occupied slices that lie before `end`, as many slices as a tile may run by
  /// itself: tile by tile, slice by slice. Calls enter(from, to) for the span of each slice of a tile (false:
  /// no more of this tile), then run(local, deliveries) for each component that has any in it, in the order
  /// of places; they are in the order of comes_before. What run pushes must lie at or after `to`, and for
  /// other tiles at or after the slices taken. In the drain that reaches `end`, boundary_ran() is called once
  /// the components with links to other ranks have run, if any of the others are still to come.
  template <class Enter, class Run, class BoundaryRan>
  void drain(SimTime end, Enter&& enter, Run&& run, BoundaryRan&& boundary_ran);
  template <class Enter, class Run>
  void drain(SimTime end, Enter&& enter, Run&& run) {
    drain(end, enter, run, [] {});
  }

 private:
  static constexpr std::int64_t round_slices = 32;               // what the wheel pours at a time
  static constexpr std::int64_t ring_slices = 2 * round_slices;  // at least one round is always ahead
  static constexpr std::uint32_t none = 0xffffffff;
  static constexpr std::uint32_t few = 24;  // events a block below which all are sorted at once
  // Events from asking for a line to using it; each step needs what the one before fetched.
  static constexpr std::uint32_t slot_ahead = 36, component_ahead = 24, state_ahead = 12;
  static constexpr int per_slice_shift = 57;
  struct alignas(64) Slice {
    SimTime first = time_never;
    std::vector<Bucket> blocks;
    std::vector<std::uint64_t> occupied;  // blocks with events
  };
  struct Batch {  // the events of one component: sorted_[from, to)
    std::uint32_t local, from, to;
  };

  static constexpr Batch end_of_batches{0, none, none};  // comes after any event
  [[nodiscard]] static std::size_t index_of(std::int64_t slice) {
    return static_cast<std::size_t>(slice) % ring_slices;
  }
  Slice& slice_at(std::int64_t slice) { return ring_[index_of(slice)]; }
  [[nodiscard]] static std::uint64_t bit_of(std::int64_t slice) {
    return std::uint64_t{1} << index_of(slice);
  }
  [[nodiscard]] bool is_occupied(std::int64_t slice) const { return (occupied_ & bit_of(slice)) != 0; }
  Delivery& put(std::int64_t slice, SimTime time, std::uint32_t place) {
    Slice& s = slice_at(slice);
    const std::uint32_t block = place >> block_bits_;
    s.occupied[block / 64] |= std::uint64_t{1} << block % 64;
    if (time < s.first) s.first = time;
    occupied_ |= bit_of(slice);
    return pool_.add(s.blocks[block]);
  }
  void put(std::int64_t slice, const Delivery& delivery) {
    put(slice, delivery.event.time, delivery.place) = delivery;
  }
  template <class Run>
  void drain_block(std::int64_t slice, SimTime end, std::uint32_t block, Run&& run);
  void find_tiles(std::int64_t first, std::int64_t last);
  std::uint32_t next_block(std::int64_t slice, std::uint32_t from, std::uint32_t end);
  void settle(std::int64_t slice);
  void advance(std::int64_t slice);
  void keep_from(SimTime end, std::int64_t slice, Bucket& bucket);
  void sort_few(const Bucket& bucket);
  void sort_many(std::uint32_t block, std::int64_t slice, const Bucket& bucket);
  void sort_by_time(SimTime start, std::span<Delivery> events);

  RankModel* model_;
  Slicer slicer_;
  std::uint32_t block_bits_;
  std::int64_t tile_slices_ = 1;
  std::uint32_t interior_block_ = none;      // no component from this block on has a link to another rank
  std::vector<std::uint32_t> block_starts_;  // by tile, then the end
  std::vector<std::uint32_t> tile_of_;       // by block
  std::vector<std::uint64_t> tiles_;         // those with events in the slices that are drained, by bit
  ChunkPool pool_;
  FarWheel wheel_{pool_};
  std::int64_t first_slice_ = 0;  // multiple of round_slices
  // A time less than ring_width_ after ring_start_ lies in slice first_slice_ + (after * per_slice_ >>
  // per_slice_shift); ring_width_ is 0 where that would be inexact.
  SimTime ring_start_{};
  std::uint64_t ring_width_ = 0, per_slice_ = 0;
  std::size_t first_index_ = 0;  // of first_slice_
  std::uint64_t occupied_ = 0;   // slices of the ring with events
  std::int64_t pending_ = 0;
  std::array<Slice, ring_slices> ring_;
  std::vector<std::uint32_t> ends_;     // of the components of a block; 0 outside sort_many
  std::vector<std::uint64_t> present_;  // components of a block that may have events, by bit
  std::vector<std::uint32_t> time_ends_;
  std::vector<Delivery> sorted_, scratch_;
  std::vector<Batch> batches_;  // up to end_of_batches
};

template <class Enter, class Run, class BoundaryRan>
void SliceQueue::drain(SimTime end, Enter&& enter, Run&& run, BoundaryRan&& boundary_ran) {
  const std::int64_t first = slicer_.slice_of(next_time());
  const std::int64_t last = std::min(first + tile_slices_, slicer_.slice_of(end - SimTime{1}) + 1);
  advance(first);
  find_tiles(first, last);
  bool is_complete = true, is_boundary = interior_block_ != none && slicer_.slice_of(end - SimTime{1}) < last;
  for (std::size_t word = 0; word < tiles_.size(); ++word)
    for (std::uint64_t bits = std::exchange(tiles_[word], 0); bits; bits &= bits - 1) {
      const std::size_t tile = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      for (std::int64_t slice = first; slice < last; ++slice) {
        if (!is_occupied(slice)) continue;
        const SimTime slice_end = std::min(slicer_.start_of(slice + 1), end);
        if (!enter(slicer_.start_of(slice), slice_end)) {
          is_complete = false;
          break;
        }
        for (std::uint32_t block = next_block(slice, block_starts_[tile], block_starts_[tile + 1]);
             block != none; block = next_block(slice, block + 1, block_starts_[tile + 1])) {
          // In a tile with both kinds the first kind is at its end in the last slice only.
          if (is_boundary && block >= interior_block_ &&
              (slice + 1 == last || block_starts_[tile] >= interior_block_)) {
            is_boundary = false;
            boundary_ran();
          }
          drain_block(slice, slice_end, block, run);
        }
      }
    }
  for (std::int64_t slice = first; slice < last; ++slice) settle(slice);
  LIGHTRAIL_EXPECT(!is_complete || next_time() >= end || slicer_.slice_of(next_time()) >= last);
}

template <class Run>
void SliceQueue::drain_block(std::int64_t slice, SimTime end, std::uint32_t block, Run&& run) {
  Slice& s = slice_at(slice);
  s.occupied[block / 64] &= ~(std::uint64_t{1} << block % 64);
  Bucket bucket = std::exchange(s.blocks[block], {});
  // The block can gain events of this slice at or after `end` while it runs; they wait for the next drain.
  if (end < slicer_.start_of(slice + 1)) keep_from(end, slice, bucket);
  pending_ -= bucket.size();
  if (bucket.size() <= few)
    sort_few(bucket);
  else
    sort_many(block, slice, bucket);
  pool_.release(bucket);
  // Components lie all over memory: fetch those that come next while one runs.
  const Delivery* const sorted = sorted_.data();
  const auto events_of = [sorted](const Batch& batch) {
    return std::span<const Delivery>(sorted + batch.from, batch.to - batch.from);
  };
  const Batch *slot = batches_.data(), *component = slot, *state = slot;
  for (const Batch* batch = slot; batch->from != none; ++batch) {
    const std::uint32_t to = batch->to;
    for (; slot->from < to + slot_ahead; ++slot) model_->prefetch_slot(slot->local);
    for (; component->from < to + component_ahead; ++component) model_->prefetch_component(component->local);
    for (; state->from < to + state_ahead; ++state) model_->prefetch_state(state->local, events_of(*state));
    run(batch->local, events_of(*batch));
  }
}

}  // namespace lightrail
