#include "engine/sync/slice_queue.hpp"

namespace lightrail {
namespace {

constexpr std::size_t at_once = 32;  // events up to which insertion is fastest

bool is_earlier(const Delivery& x, const Delivery& y) {
  return comes_before(x.event, y.event);
}

void sort_by_insertion(std::span<Delivery> events) {
  for (std::size_t i = 1; i < events.size(); ++i) {
    if (!is_earlier(events[i], events[i - 1])) continue;
    const Delivery moved = events[i];
    std::size_t j = i;
    for (; j > 0 && is_earlier(moved, events[j - 1]); --j) events[j] = events[j - 1];
    events[j] = moved;
  }
}

}  // namespace

SliceQueue::SliceQueue(RankModel& model, SimTime slice, std::uint32_t block)
    : model_(&model), slicer_(slice) {
  LIGHTRAIL_EXPECT(block >= 1);
  const std::vector<std::uint32_t>& starts = model.tile_starts();
  const bool has_tiles = starts.size() > 2;
  block = std::max(block, std::bit_ceil(starts.back() / max_blocks + 1));
  if (has_tiles) block = std::min(block, RankModel::tile_alignment);
  block_bits_ = static_cast<std::uint32_t>(std::bit_width(block) - 1);
  if (has_tiles) tile_slices_ = std::clamp<std::int64_t>(model.tile_width() / slice, 1, round_slices);
  wheel_.advance(
      1, [](SimTime) { return std::int64_t{0}; }, [](const Delivery&) {});
  const std::uint32_t blocks = (starts.back() >> block_bits_) + 1;
  for (std::size_t tile = 0; tile + 1 < starts.size(); ++tile) {
    block_starts_.push_back(starts[tile] >> block_bits_);
    tile_of_.resize(tile + 2 < starts.size() ? starts[tile + 1] >> block_bits_ : blocks,
                    static_cast<std::uint32_t>(tile));
  }
  block_starts_.push_back(blocks);
  if (model.interior_start() > 0) interior_block_ = ((model.interior_start() - 1) >> block_bits_) + 1;
  tiles_.resize(starts.size() / 64 + 1);
  for (Slice& s : ring_) {
    s.blocks.resize(blocks);
    s.occupied.resize(blocks / 64 + 1);
  }
  const auto width = static_cast<std::uint64_t>(slice.count());
  per_slice_ = ((std::uint64_t{1} << per_slice_shift) - 1) / width + 1;
  // The product then has 64 bits, and what per_slice_ is rounded up by does not reach the next slice.
  if (width <= std::uint64_t{1} << 25) ring_width_ = ring_slices * width;
  present_.resize(((std::size_t{1} << block_bits_) + 63) / 64);
  ends_.resize(present_.size() * 64);
  sorted_.resize(few);
  batches_.resize(std::max<std::size_t>(ends_.size(), few) + 1);
}

/// Only these can have events before the slice `last`: what other tiles send meanwhile comes later.
void SliceQueue::find_tiles(std::int64_t first, std::int64_t last) {
  for (std::int64_t slice = first; slice < last; ++slice) {
    if (!is_occupied(slice)) continue;
    for (std::uint32_t block = next_block(slice, 0, block_starts_.back()); block != none;
         block = next_block(slice, block_starts_[tile_of_[block] + 1], block_starts_.back()))
      tiles_[tile_of_[block] / 64] |= std::uint64_t{1} << tile_of_[block] % 64;
  }
}

/// First block with events in [from, end); none: there is none.
std::uint32_t SliceQueue::next_block(std::int64_t slice, std::uint32_t from, std::uint32_t end) {
  const std::vector<std::uint64_t>& occupied = slice_at(slice).occupied;
  for (std::uint32_t word = from / 64; word * 64 < end; ++word) {
    std::uint64_t bits = occupied[word];
    if (word == from / 64) bits &= ~std::uint64_t{0} << from % 64;
    if (bits == 0) continue;
    const std::uint32_t block = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
    return block < end ? block : none;
  }
  return none;
}

/// After a drain: events are left where the end cut a slice or a failure ended it.
void SliceQueue::settle(std::int64_t slice) {
  if (!is_occupied(slice)) return;
  Slice& s = slice_at(slice);
  s.first = time_never;
  for (std::uint32_t block = next_block(slice, 0, block_starts_.back()); block != none;
       block = next_block(slice, block + 1, block_starts_.back()))
    s.blocks[block].for_each(
        [&](const Delivery& delivery) { s.first = std::min(s.first, delivery.event.time); });
  if (s.first == time_never) occupied_ &= ~bit_of(slice);
}

/// The ring then holds the rounds of `slice` and of the next; needs that no event lies before `slice`.
void SliceQueue::advance(std::int64_t slice) {
  const std::int64_t round = slice / round_slices;
  if (round * round_slices == first_slice_) return;
  first_slice_ = round * round_slices;
  first_index_ = index_of(first_slice_);
  ring_start_ = slicer_.start_of(first_slice_);
  if (slicer_.start_of(first_slice_ + ring_slices) == time_never) ring_width_ = 0;
  const auto round_of = [this](SimTime time) { return slicer_.slice_of(time) / round_slices; };
  const auto pour = [this](const Delivery& delivery) {
    --pending_;  // which add() counts
    Delivery* const place = add_quickly(delivery.event.time, delivery.place);
    (place ? *place : add(delivery.event.time, delivery.place)) = delivery;
  };
  if (round > wheel_.base()) wheel_.advance(round, round_of, pour);
  wheel_.advance(round + 1, round_of, pour);
}

/// Leaves in `bucket` what lies before `end` and puts the rest back.
void SliceQueue::keep_from(SimTime end, std::int64_t slice, Bucket& bucket) {
  Bucket kept;
  bucket.for_each([&](const Delivery& delivery) {
    if (delivery.event.time < end)
      pool_.append(kept, delivery);
    else
      put(slice, delivery);
  });
  pool_.release(bucket);
  bucket = kept;
}

/// Insertion by (component, order of events), from the end, as the bucket has them.
void SliceQueue::sort_few(const Bucket& bucket) {
  const std::uint32_t count = bucket.size();
  std::uint32_t first = count;
  bucket.for_each([&](const Delivery& delivery) {
    std::uint32_t i = --first;
    for (; i + 1 < count; ++i) {
      const Delivery& after = sorted_[i + 1];
      if (delivery.place < after.place ||
          (delivery.place == after.place && comes_before(delivery.event, after.event)))
        break;
      sorted_[i] = after;
    }
    sorted_[i] = delivery;
  });
  std::uint32_t made = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i == 0 || sorted_[i].place != sorted_[i - 1].place) batches_[made++] = {sorted_[i].place, i, i};
    batches_[made - 1].to = i + 1;
  }
  batches_[made] = end_of_batches;
}

/// Counting sort by component, then each component's events by themselves. Where few of the block's
/// components have events, only those are looked at.
void SliceQueue::sort_many(std::uint32_t block, std::int64_t slice, const Bucket& bucket) {
  const std::uint32_t base = block << block_bits_;
  if (sorted_.size() < bucket.size()) sorted_.resize(bucket.size());
  if (bucket.size() > ends_.size()) {
    bucket.for_each([&](const Delivery& delivery) { ++ends_[delivery.place - base]; });
    std::fill(present_.begin(), present_.end(), ~std::uint64_t{0});
  } else {
    bucket.for_each([&](const Delivery& delivery) {
      const std::uint32_t i = delivery.place - base;
      ++ends_[i];
      present_[i / 64] |= std::uint64_t{1} << i % 64;
    });
  }
  Batch* batch = batches_.data();
  std::uint32_t before = 0;
  for (std::uint32_t word = 0; word < present_.size(); ++word)
    for (std::uint64_t bits = std::exchange(present_[word], 0); bits; bits &= bits - 1) {
      const std::uint32_t i = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
      if (ends_[i] == 0) continue;
      const std::uint32_t from = before;
      ends_[i] = before += ends_[i];
      *batch++ = {base + i, from, before};
    }
  *batch = end_of_batches;
  Delivery* const sorted = sorted_.data();
  std::uint32_t* const ends = ends_.data();
  // The first of a component that were pushed come first: mostly they are in order.
  bucket.for_each([=](const Delivery& delivery) { sorted[--ends[delivery.place - base]] = delivery; });
  const SimTime start = slicer_.start_of(slice);
  for (batch = batches_.data(); batch->from != none; ++batch) {
    ends[batch->local - base] = 0;
    const std::uint32_t count = batch->to - batch->from;
    if (count == 1) continue;
    const std::span<Delivery> events(sorted + batch->from, count);
    if (count > at_once)
      sort_by_time(start, events);
    else
      sort_by_insertion(events);
  }
}

/// Into about as many equal spans of time as there are events, then each span by itself.
void SliceQueue::sort_by_time(SimTime start, std::span<Delivery> events) {
  const auto width = static_cast<std::uint64_t>(slicer_.width().count());
  const int shift = std::max(
      0, static_cast<int>(std::bit_width(width - 1)) - static_cast<int>(std::bit_width(events.size())));
  const std::size_t spans = ((width - 1) >> shift) + 1;
  const auto span_of = [&](const Delivery& d) {
    return static_cast<std::size_t>((d.event.time - start).count()) >> shift;
  };
  time_ends_.assign(spans, 0);
  scratch_.assign(events.begin(), events.end());
  for (const Delivery& d : scratch_) ++time_ends_[span_of(d)];
  std::uint32_t before = 0;
  for (std::uint32_t& end : time_ends_) before += std::exchange(end, before);
  for (const Delivery& d : scratch_) events[time_ends_[span_of(d)]++] = d;
  std::uint32_t from = 0;
  for (const std::uint32_t to : time_ends_) {
    if (to - from > at_once)  // a burst at one time; a lambda is compiled into the sort, a function is called
      std::sort(events.begin() + from, events.begin() + to,
                [](const Delivery& x, const Delivery& y) { return is_earlier(x, y); });
    else if (to - from > 1)
      sort_by_insertion(events.subspan(from, to - from));
    from = to;
  }
}

}  // namespace lightrail
