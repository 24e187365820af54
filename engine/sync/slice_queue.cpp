#include "engine/sync/slice_queue.hpp"

namespace lightrail {

SliceQueue::SliceQueue(RankModel& model, SimTime slice, std::uint32_t block)
    : model_(&model), slicer_(slice), block_bits_(static_cast<std::uint32_t>(std::bit_width(block) - 1)) {
  LIGHTRAIL_EXPECT(block >= 1);
  wheel_.advance(
      1, [](SimTime) { return std::int64_t{0}; }, [](const Event&, std::uint32_t) {});
  const std::size_t blocks = (std::size_t{model.size()} >> block_bits_) + 1;
  for (Slice& s : ring_) {
    s.blocks.resize(blocks);
    s.occupied.resize(blocks / 64 + 1);
  }
  ends_.resize(std::size_t{1} << block_bits_);
  keyed_.reserve(few);
}

/// The ring then holds the rounds of `slice` and of the next; needs that no event lies before `slice`.
void SliceQueue::advance(std::int64_t slice) {
  const std::int64_t round = slice / round_slices;
  if (round * round_slices == first_slice_) return;
  first_slice_ = round * round_slices;
  const auto round_of = [this](SimTime time) { return slicer_.slice_of(time) / round_slices; };
  const auto pour = [this](const Event& event, std::uint32_t local) {
    put(slicer_.slice_of(event.time), event, local);
  };
  if (round > wheel_.base()) wheel_.advance(round, round_of, pour);
  wheel_.advance(round + 1, round_of, pour);
}

/// Leaves in `bucket` what lies before `end` and puts the rest back.
void SliceQueue::keep_from(SimTime end, std::int64_t slice, Bucket& bucket) {
  Bucket kept;
  bucket.for_each([&](const Event& event, std::uint32_t local) {
    if (event.time < end)
      pool_.append(kept, event, local);
    else
      put(slice, event, local);
  });
  pool_.release(bucket);
  bucket = kept;
}

/// Insertion by (component, order of events).
void SliceQueue::sort_few(const Bucket& bucket) {
  keyed_.clear();
  bucket.for_each([&](const Event& event, std::uint32_t local) {
    std::size_t i = keyed_.size();
    keyed_.push_back({});
    for (; i > 0; --i) {
      const Keyed& before = keyed_[i - 1];
      if (before.local < local || (before.local == local && comes_before(before.event, event))) break;
      keyed_[i] = before;
    }
    keyed_[i] = {event, local};
  });
  sorted_.resize(std::max(sorted_.size(), keyed_.size()));
  batches_.clear();
  for (std::uint32_t i = 0; i < keyed_.size(); ++i) {
    sorted_[i] = keyed_[i].event;
    if (i == 0 || keyed_[i].local != keyed_[i - 1].local) batches_.push_back({keyed_[i].local, i, i});
    batches_.back().to = i + 1;
  }
}

/// Counting sort by component, then each component's events by themselves.
void SliceQueue::sort_many(std::uint32_t block, const Bucket& bucket) {
  const std::uint32_t base = block << block_bits_;
  const std::uint32_t width = std::min(model_->size() - base, 1u << block_bits_);
  sorted_.resize(std::max<std::size_t>(sorted_.size(), bucket.size));
  std::fill_n(ends_.begin(), width, 0);
  bucket.for_each([&](const Event&, std::uint32_t local) { ++ends_[local - base]; });
  std::uint32_t before = 0;
  for (std::uint32_t i = 0; i < width; ++i) before += std::exchange(ends_[i], before);
  bucket.for_each([&](const Event& event, std::uint32_t local) { sorted_[ends_[local - base]++] = event; });
  batches_.clear();
  std::uint32_t from = 0;
  for (std::uint32_t i = 0; i < width; ++i) {
    const std::uint32_t to = ends_[i];
    if (from == to) continue;
    if (to - from > 1) sort_events({sorted_.data() + from, to - from});
    batches_.push_back({base + i, from, to});
    from = to;
  }
}

void SliceQueue::sort_events(std::span<Event> events) {
  if (events.size() > 16) {
    std::sort(events.begin(), events.end(), comes_before);
    return;
  }
  for (std::size_t i = 1; i < events.size(); ++i) {
    const Event event = events[i];
    std::size_t j = i;
    for (; j > 0 && comes_before(event, events[j - 1]); --j) events[j] = events[j - 1];
    events[j] = event;
  }
}

}  // namespace lightrail
