#include "workloads/import/goal/message_ledger.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lightrail {

namespace {

std::uint64_t key_of(const MessageLedger::Message& m) {
  return std::uint64_t{m.from} << 28 | std::uint64_t{m.to} << 8 | MessageLedger::lane_of(m.tag);
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  std::uint64_t x = hash + value + 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  return x ^ (x >> 27);
}

}  // namespace

void MessageLedger::note(const Message& message, int side) {
  const std::uint64_t key = key_of(message);
  if (focus_) {
    if (key == *focus_) seen_[side].push_back(message);
    return;
  }
  Side& s = pairs_[key].sides[side];
  ++s.count;
  s.hash = mix(mix(s.hash, message.tag), static_cast<std::uint64_t>(message.bytes));
}

std::optional<std::uint64_t> MessageLedger::first_disagreement() const {
  std::optional<std::uint64_t> first;
  pairs_.each([&](std::uint64_t key, const Pair& pair) {
    const Side &a = pair.sides[0], &b = pair.sides[1];
    if ((a.count != b.count || a.hash != b.hash) && (!first || key < *first)) first = key;
  });
  return first;
}

void MessageLedger::focus() {
  focus_ = first_disagreement();
  pairs_.clear();
}

MessageLedger::Problem MessageLedger::problem() const {
  const auto& [sends, receives] = seen_;
  auto send_text = [](const Message& m) {
    return fmt::format("send of {} B to rank {} with tag {}", m.bytes, m.to, m.tag);
  };
  auto receive_text = [](const Message& m) {
    return fmt::format("receive of {} B from rank {} with tag {}", m.bytes, m.from, m.tag);
  };
  const std::size_t both = std::min(sends.size(), receives.size());
  auto is_in = [](const Message& m, const std::vector<Message>& all) {
    return std::any_of(all.begin(), all.end(), [&](const Message& o) { return o.tag == m.tag; });
  };
  for (std::size_t i = 0; i < both; ++i) {
    const Message &s = sends[i], &r = receives[i];
    if (s.tag == r.tag && s.bytes == r.bytes) continue;
    if (s.tag == r.tag)
      return {r.to, r.place, fmt::format("{}, but rank {} sends {} B", receive_text(r), r.from, s.bytes)};
    if (!is_in(s, receives))
      return {s.from, s.place, fmt::format("{}, which nothing there receives", send_text(s))};
    if (!is_in(r, sends))
      return {r.to, r.place, fmt::format("{}, which nothing there sends", receive_text(r))};
    return {r.to, r.place,
            fmt::format("{}, but rank {} sends tag {} first (tags that differ by a multiple of 256 must keep "
                        "their order)",
                        receive_text(r), r.from, s.tag)};
  }
  if (sends.size() > both) {
    const Message& s = sends[both];
    return {s.from, s.place, fmt::format("{}, which nothing there receives", send_text(s))};
  }
  const Message& r = receives[both];
  return {r.to, r.place, fmt::format("{}, which nothing there sends", receive_text(r))};
}

}  // namespace lightrail
