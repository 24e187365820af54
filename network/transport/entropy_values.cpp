#include "network/transport/entropy_values.hpp"

#include <algorithm>
#include <bit>

#include "engine/base/error.hpp"
#include "engine/base/hash.hpp"

namespace lightrail {
namespace {

constexpr std::uint8_t mark_penalty = 1, trim_penalty = 4, most_penalty = 15;

}  // namespace

EntropyValues::EntropyValues(std::uint32_t count, PathChoice choice, std::uint64_t salt)
    : count_(count), choice_(choice), salt_(salt) {
  LIGHTRAIL_EXPECT(std::has_single_bit(count));
}

std::uint32_t EntropyValues::slot_of(std::uint64_t flow) {
  std::uint32_t slot = index_.find(flow);
  if (slot != none) return slot;
  slot = static_cast<std::uint32_t>(flows_.size());
  index_.insert(flow, slot);
  flows_.emplace_back();
  penalties_.resize(penalties_.size() + count_);
  return slot;
}

/// The value whose turn it is: all of them once in a round.
std::uint32_t EntropyValues::at_turn(std::uint64_t flow, const Flow& own) const {
  const std::uint64_t drawn = mix64(hash_combine(hash_combine(salt_, flow), own.rounds));
  return (own.turn ^ static_cast<std::uint32_t>(drawn)) & (count_ - 1);
}

void EntropyValues::pass_turn(Flow& own) const {
  if (++own.turn < count_) return;
  own.turn = 0;
  ++own.rounds;
}

std::uint16_t EntropyValues::next(std::uint64_t flow) {
  if (count_ == 1) return 0;
  const std::uint32_t slot = slot_of(flow);
  Flow& own = flows_[slot];
  if (own.first != none) {
    const std::uint32_t place = own.first;
    own.first = clear_[place].next;
    clear_[place].next = free_;
    free_ = place;
    return static_cast<std::uint16_t>(clear_[place].value);
  }
  std::uint8_t* penalties = &penalties_[std::size_t{slot} * count_];
  std::uint32_t value = at_turn(flow, own);
  if (penalties[value] > 0) {
    --penalties[value];
    for (std::uint32_t i = 0; i < count_; ++i) {
      pass_turn(own);
      value = at_turn(flow, own);
      if (penalties[value] == 0) break;  // where all have one, the first again
    }
  }
  pass_turn(own);
  return static_cast<std::uint16_t>(value);
}

void EntropyValues::on_fate(std::uint64_t flow, std::uint16_t value, PathFate fate) {
  if (count_ == 1 || choice_ == PathChoice::turns) return;
  const std::uint32_t slot = slot_of(flow);
  Flow& own = flows_[slot];
  if (fate != PathFate::clear) {
    std::uint8_t& penalty = penalties_[std::size_t{slot} * count_ + value];
    const std::uint8_t more = fate == PathFate::marked ? mark_penalty : trim_penalty;
    penalty = static_cast<std::uint8_t>(std::min<int>(penalty + more, most_penalty));
    return;
  }
  std::uint32_t place = free_;
  if (place == none) {
    place = static_cast<std::uint32_t>(clear_.size());
    clear_.emplace_back();
  } else {
    free_ = clear_[place].next;
  }
  clear_[place] = {.value = value};
  (own.first == none ? own.first : clear_[own.last].next) = place;
  own.last = place;
}

void EntropyValues::save(StateWriter& out) const {
  index_.save(out);
  out.put(flows_), out.put(penalties_), out.put(clear_), out.put(free_);
}

void EntropyValues::load(StateReader& in) {
  index_.load(in);
  in.get(flows_), in.get(penalties_), in.get(clear_), in.get(free_);
}

}  // namespace lightrail
