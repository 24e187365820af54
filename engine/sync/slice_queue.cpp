#include "engine/sync/slice_queue.hpp"

namespace lightrail {

SliceQueue::SliceQueue(const RankModel& model, SimTime slice, std::uint32_t block)
    : model_(&model), slicer_(slice), block_bits_(static_cast<std::uint32_t>(std::bit_width(block) - 1)) {
  LIGHTRAIL_EXPECT(block >= 1);
  wheel_.advance(
      1, [](SimTime) { return std::int64_t{0}; }, [](const Event&) {});
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
  const auto pour = [this](const Event& event) {
    put(slicer_.slice_of(event.time), event, model_->place_of(event.link).local);
  };
  if (round > wheel_.base()) wheel_.advance(round, round_of, pour);
  wheel_.advance(round + 1, round_of, pour);
}

/// Leaves in `bucket` what lies before `end` and puts the rest back.
void SliceQueue::keep_from(SimTime end, std::int64_t slice, Bucket& bucket) {
  Bucket kept;
  bucket.for_each([&](const Event& event) {
    if (event.time < end)
      pool_.append(kept, event);
    else
      put(slice, event, model_->place_of(event.link).local);
  });
  pool_.release(bucket);
  bucket = kept;
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
