#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"

namespace lightrail {

/// A line that messages share, each with as much of it as any other that is there.
class SharedLine {
 public:
  explicit SharedLine(BitRate rate) : rate_(rate) {}
  /// A message that is there from `at` on. Returns its number.
  std::uint32_t add(SimTime at, std::int64_t bytes) {
    all_.push_back({at, bytes, SimTime{0}});
    return static_cast<std::uint32_t>(all_.size() - 1);
  }
  /// When the line has carried all that was added; 0: there is nothing. O(n log n).
  [[nodiscard]] SimTime last_end() const;
  /// Works out end(), once all are added. O(n log n).
  void run();
  [[nodiscard]] SimTime end(std::uint32_t message) const { return all_[message].end; }

 private:
  struct Message {
    SimTime at;
    std::int64_t bytes;
    SimTime end;
  };
  [[nodiscard]] std::vector<std::uint32_t> in_order() const;
  [[nodiscard]] SimTime last_end(const std::vector<std::uint32_t>& order) const;
  [[nodiscard]] SimTime time_of(std::int64_t bytes) const;

  BitRate rate_;
  std::vector<Message> all_;
};

}  // namespace lightrail
