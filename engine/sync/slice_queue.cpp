#include "engine/sync/slice_queue.hpp"

namespace lightrail {
namespace {

constexpr std::size_t at_once = 12;  // events up to which insertion is fastest

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
    : model_(&model), slicer_(slice), block_bits_(static_cast<std::uint32_t>(std::bit_width(block) - 1)) {
  LIGHTRAIL_EXPECT(block >= 1);
  wheel_.advance(
      1, [](SimTime) { return std::int64_t{0}; }, [](const Delivery&) {});
  const std::size_t blocks = (std::size_t{model.size()} >> block_bits_) + 1;
  for (Slice& s : ring_) {
    s.blocks.resize(blocks);
    s.occupied.resize(blocks / 64 + 1);
  }
  present_.resize(((std::size_t{1} << block_bits_) + 63) / 64);
  ends_.resize(present_.size() * 64);
  sorted_.resize(few);
}

/// The ring then holds the rounds of `slice` and of the next; needs that no event lies before `slice`.
void SliceQueue::advance(std::int64_t slice) {
  const std::int64_t round = slice / round_slices;
  if (round * round_slices == first_slice_) return;
  first_slice_ = round * round_slices;
  const auto round_of = [this](SimTime time) { return slicer_.slice_of(time) / round_slices; };
  const auto pour = [this](const Delivery& delivery) {
    put(slicer_.slice_of(delivery.event.time), delivery);
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

/// Insertion by (component, order of events).
void SliceQueue::sort_few(const Bucket& bucket) {
  std::uint32_t count = 0;
  bucket.for_each([&](const Delivery& delivery) {
    std::uint32_t i = count++;
    for (; i > 0; --i) {
      const Delivery& before = sorted_[i - 1];
      if (before.place < delivery.place ||
          (before.place == delivery.place && comes_before(before.event, delivery.event)))
        break;
      sorted_[i] = before;
    }
    sorted_[i] = delivery;
  });
  batches_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i == 0 || sorted_[i].place != sorted_[i - 1].place) batches_.push_back({sorted_[i].place, i, i});
    batches_.back().to = i + 1;
  }
}

/// Counting sort by component, then each component's events by themselves. Where few of the block's
/// components have events, only those are looked at.
void SliceQueue::sort_many(std::uint32_t block, std::int64_t slice, const Bucket& bucket) {
  const std::uint32_t base = block << block_bits_;
  if (sorted_.size() < bucket.size) sorted_.resize(bucket.size);
  if (bucket.size > ends_.size()) {
    bucket.for_each([&](const Delivery& delivery) { ++ends_[delivery.place - base]; });
    std::fill(present_.begin(), present_.end(), ~std::uint64_t{0});
  } else {
    bucket.for_each([&](const Delivery& delivery) {
      const std::uint32_t i = delivery.place - base;
      ++ends_[i];
      present_[i / 64] |= std::uint64_t{1} << i % 64;
    });
  }
  batches_.clear();
  std::uint32_t before = 0;
  for (std::uint32_t word = 0; word < present_.size(); ++word)
    for (std::uint64_t bits = std::exchange(present_[word], 0); bits; bits &= bits - 1) {
      const std::uint32_t i = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
      if (ends_[i] == 0) continue;
      const std::uint32_t from = before;
      before += std::exchange(ends_[i], from);
      batches_.push_back({base + i, from, before});
    }
  bucket.for_each([&](const Delivery& delivery) { sorted_[ends_[delivery.place - base]++] = delivery; });
  const SimTime start = slicer_.start_of(slice);
  for (const Batch& batch : batches_) {
    ends_[batch.local - base] = 0;
    const std::span<Delivery> events(sorted_.data() + batch.from, batch.to - batch.from);
    if (events.size() > at_once)
      sort_by_time(start, events);
    else if (events.size() > 1)
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
    if (to - from > at_once)  // a burst at one time
      std::sort(events.begin() + from, events.begin() + to, is_earlier);
    else if (to - from > 1)
      sort_by_insertion(events.subspan(from, to - from));
    from = to;
  }
}

}  // namespace lightrail
