#include "components/gpu/execution/exposed_time.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/error.hpp"

namespace lightrail {

void ExposedTime::add(Key key, SimTime time) {
  if (time == SimTime{0}) return;
  for (Part& part : parts_)
    if (part.key == key) {
      part.time += time;
      return;
    }
  parts_.push_back({key, time});
}

void ExposedTime::pass(SimTime now) {
  if (now == last_) return;
  if (slot_ == no_slot)
    add(key_, now - last_);
  else
    open_.push_back({slot_, 0, last_, now});
  last_ = now;
}

void ExposedTime::set(SimTime now, Key key, std::uint32_t slot) {
  // Most changes change nothing: a kernel follows a kernel.
  if (key == key_ && slot == slot_) return;
  pass(now);
  key_ = key;
  slot_ = slot;
}

void ExposedTime::settle(SimTime now, std::uint32_t slot, Key key, SimTime ready, SimTime begun) {
  if (slot_ == slot) pass(now), slot_ = no_slot;
  Key bubble = key;
  bubble.use = TimeUse::bubble;
  const auto is_of_it = [slot](const Open& open) { return open.slot == slot; };
  for (const Open& open : open_) {
    if (!is_of_it(open)) continue;
    const SimTime waited = std::max(std::min(open.to, begun) - std::max(open.from, ready), SimTime{0});
    add(bubble, waited);
    add(key, open.to - open.from - waited);
  }
  open_.erase(std::remove_if(open_.begin(), open_.end(), is_of_it), open_.end());
}

void ExposedTime::move(SimTime now, Key from, Key to, SimTime time) {
  pass(now);
  const auto part =
      std::find_if(parts_.begin(), parts_.end(), [&](const Part& one) { return one.key == from; });
  if (part == parts_.end()) return;
  const SimTime moved = std::min(time, part->time);
  part->time -= moved;
  if (part->time == SimTime{0}) parts_.erase(part);
  add(to, moved);
}

std::vector<ExposedTime::Part> ExposedTime::so_far(SimTime now) {
  pass(now);
  std::vector<Part> all = parts_;
  std::sort(all.begin(), all.end(), [](const Part& a, const Part& b) { return a.key < b.key; });
  return all;
}

std::vector<ExposedTime::Part> ExposedTime::take(SimTime now) {
  std::vector<Part> all = so_far(now);
  LIGHTRAIL_EXPECT(open_.empty());
  parts_.clear();
  return all;
}

void ExposedTime::drop_all(SimTime now) {
  parts_.clear(), open_.clear();
  last_ = now, key_ = {}, slot_ = no_slot;
}

void ExposedTime::save(StateWriter& out) const {
  out.put(last_), out.put(key_), out.put(slot_), out.put(parts_), out.put(open_);
}

void ExposedTime::load(StateReader& in) {
  in.get(last_), in.get(key_), in.get(slot_), in.get(parts_), in.get(open_);
}

}  // namespace lightrail
