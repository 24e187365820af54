#pragma once
#include <cstdint>
#include <vector>

#include "components/network/port_end.hpp"
#include "engine/model/component.hpp"

namespace lightrail {

/// The receiving side of all ports of one component: gives the far end its credits back when trains have left
/// the input buffer.
///
/// Credits are collected and returned in batches of half a buffer, or of a buffer minus the longest train of
/// its links where that is less: what is collected and not yet returned can then never starve the sender.
/// Behind an optical switch they are returned one by one, because the sender may be switched to another
/// receiver. A batch leaves when the last of its trains has left. Credits take no line time.
class CreditReturn {
 public:
  /// Throws InputErrors when a buffer does not hold one train of the component's links.
  explicit CreditReturn(const BuildContext& build);

  /// The tail of `train`, which came in on `port`, leaves its buffer at `at` (>= now).
  void freed(Context& context, PortIndex port, const Payload& train, SimTime at);

  void save(StateWriter& out) const { out.put(pending_); }
  void load(StateReader& in) { in.get(pending_); }

 private:
  struct Port {
    std::uint32_t first = 0;  ///< index into pending_
    std::uint32_t batch_bytes = 0;
    std::uint8_t lanes = 0;
  };
  struct Pending {
    SimTime at{};
    std::uint32_t bytes = 0;
    std::uint32_t unused = 0;
  };
  std::vector<Port> ports_;
  std::vector<Pending> pending_;
};

}  // namespace lightrail
