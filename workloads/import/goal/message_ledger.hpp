#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/import/flat_map.hpp"

namespace lightrail {

/// Holds the sends of all ranks against their receives. The i-th send of a rank to another on a lane meets
/// the other's i-th receive from it on that lane: counted in the order of the trace, never by time. Memory is
/// O(different pairs and lanes): only counts and hashes are kept. When they disagree, the trace is read again
/// with `focus()` on the first pair that does, and problem() names the message.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): of the copy that clang makes
class MessageLedger {
 public:
  struct Message {
    std::uint32_t from = 0, to = 0;
    std::uint32_t tag = 0;
    std::int64_t bytes = 0;
    std::uint64_t place = 0;  ///< of the node in its file: line or node number
  };
  /// Lane of a tag: what tells messages of one pair apart while they travel.
  [[nodiscard]] static std::uint32_t lane_of(std::uint32_t tag) { return tag & 0xff; }

  void sent(const Message& message) { note(message, 0); }
  void received(const Message& message) { note(message, 1); }

  [[nodiscard]] bool is_balanced() const { return !first_disagreement(); }
  void focus();

  /// After the second reading: which message of which rank is wrong and why.
  struct Problem {
    std::uint32_t rank = 0;
    std::uint64_t place = 0;
    std::string what;
  };
  [[nodiscard]] Problem problem() const;

 private:
  struct Side {
    std::uint64_t count = 0, hash = 0;
  };
  struct Pair {
    Side sides[2];
  };
  void note(const Message& message, int side);
  [[nodiscard]] std::optional<std::uint64_t> first_disagreement() const;

  FlatMap<Pair> pairs_;
  std::optional<std::uint64_t> focus_;
  std::vector<Message> seen_[2];  ///< of the pair in focus: sends, receives
};

}  // namespace lightrail
