#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/context.hpp"
#include "engine/model/state_io.hpp"
#include "network/wire/work_request.hpp"

namespace lightrail {

/// Completions that a NIC owes its devices: one for each message whose poster waits for it, until its last
/// byte is on the wire. Places are used again, so a steady state allocates nothing.
class Notices {
 public:
  static constexpr std::uint32_t none = 0xffffffff;
  /// A SentNotice for the device on `port`.
  struct Notice {
    Payload payload{};
    std::uint32_t next = none;
    PortIndex port = 0;
    std::uint16_t unused = 0;
  };

  /// Owes one for `work`; returns its number.
  [[nodiscard]] std::uint32_t add(const DeferredWork& work);
  /// The one of that number, which is owed no longer.
  [[nodiscard]] Notice take(std::uint32_t number);
  /// Its device is told nothing.
  void cancel(std::uint32_t number) { (void)take(number); }

  void save(StateWriter& out) const { out.put(notices_), out.put(free_); }
  void load(StateReader& in) { in.get(notices_), in.get(free_); }

 private:
  std::vector<Notice> notices_;
  std::uint32_t free_ = none;
};

}  // namespace lightrail
