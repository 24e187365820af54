#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/model/context.hpp"
#include "engine/model/state_io.hpp"
#include "network/wire/frame.hpp"

namespace lightrail {

/// Whose trains are in the buffer behind each output and lane, oldest first, so that a credit goes back to
/// the sender of as many bytes even when the circuit has changed meanwhile. One entry while the circuit
/// stays.
class CreditLedger {
 public:
  explicit CreditLedger(std::uint32_t ports) : queues_(ports * max_lanes) {}

  void sent(PortIndex in, PortIndex out, std::uint8_t lane, std::uint32_t bytes);

  /// `bytes` were freed behind `out`: give(in, bytes) for each sender that gets some of them.
  template <class Give>
  void freed(PortIndex out, std::uint8_t lane, std::uint32_t bytes, Give&& give) {
    auto& queue = queues_[index(out, lane)];
    while (bytes > 0) {
      LIGHTRAIL_EXPECT(!queue.empty());
      Entry& oldest = queue.front();
      auto part = static_cast<std::uint32_t>(std::min<std::int64_t>(bytes, oldest.bytes));
      PortIndex in = oldest.in;
      oldest.bytes -= part;
      bytes -= part;
      if (oldest.bytes == 0) queue.erase(queue.begin());
      give(in, part);
    }
  }
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Entry {
    std::int64_t bytes = 0;
    PortIndex in = 0;
    std::uint16_t unused[3] = {};
  };
  [[nodiscard]] static std::size_t index(PortIndex out, std::uint8_t lane) {
    LIGHTRAIL_EXPECT(lane < max_lanes);
    return out * max_lanes + lane;
  }
  std::vector<std::vector<Entry>> queues_;
};

}  // namespace lightrail
