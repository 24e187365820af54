#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/base/time.hpp"

namespace lightrail {

/// What waits at one rank for its other half, messages for receives or receives for messages: first come,
/// first served among those of one sender and tag. Holds memory for what waits, not for what has been there.
class Mailbox {
 public:
  struct Item {
    std::uint32_t node = 0;  ///< of whoever put it there
    SimTime end{};
  };

  void put(std::uint32_t sender, std::uint32_t tag, const Item& item) {
    const std::uint32_t place = new_place(item);
    const auto [found, is_new] = lines_.try_emplace(key_of(sender, tag), Line{place, place});
    if (is_new) return;
    waiting_[found->second.last].next = place;
    found->second.last = place;
  }

  /// The first of them, which waits no more; nothing where none waits.
  std::optional<Item> take(std::uint32_t sender, std::uint32_t tag) {
    const auto found = lines_.find(key_of(sender, tag));
    if (found == lines_.end()) return std::nullopt;
    const std::uint32_t place = found->second.first;
    if (place == found->second.last)
      lines_.erase(found);
    else
      found->second.first = waiting_[place].next;
    const Item item = waiting_[place].item;
    waiting_[place].next = free_;
    free_ = place;
    return item;
  }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  struct Line {
    std::uint32_t first, last;  ///< into waiting_
  };
  struct Waiting {
    Item item;
    std::uint32_t next = none;  ///< of its line, or of free places
  };

  static std::uint64_t key_of(std::uint32_t sender, std::uint32_t tag) {
    return std::uint64_t{sender} << 32 | tag;
  }
  std::uint32_t new_place(const Item& item) {
    if (free_ == none) {
      waiting_.push_back({item});
      return static_cast<std::uint32_t>(waiting_.size() - 1);
    }
    const std::uint32_t place = free_;
    free_ = waiting_[place].next;
    waiting_[place] = {item};
    return place;
  }

  std::unordered_map<std::uint64_t, Line> lines_;  ///< of (sender, tag); nothing goes through all of them
  std::vector<Waiting> waiting_;
  std::uint32_t free_ = none;
};

}  // namespace lightrail
