#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/context.hpp"
#include "engine/model/state_io.hpp"
#include "network/wire/work_request.hpp"

namespace lightrail {

/// What a NIC owes its devices once the last byte of a message is on the wire: a completion to each poster
/// that waits for it, and the buffer of a train that it has taken over. Places are used again, so a steady
/// state allocates nothing.
class Notices {
 public:
  static constexpr std::uint32_t none = 0xffffffff;
  /// A SentNotice for the device on `port`, or a train from there.
  struct Notice {
    Payload payload{};
    std::uint32_t next = none;
    PortIndex port = 0;
    std::uint16_t unused = 0;
  };

  /// Owes one for `work`; returns its number.
  [[nodiscard]] std::uint32_t add(const DeferredWork& work);
  /// The buffer of `train`, which came in on `port`, is to be free then.
  [[nodiscard]] std::uint32_t add(const Frame& train, PortIndex port);
  /// The one of that number, which is owed no longer.
  [[nodiscard]] Notice take(std::uint32_t number);
  /// Its device is told nothing.
  void cancel(std::uint32_t number) { (void)take(number); }

  void save(StateWriter& out) const { out.put(notices_), out.put(free_); }
  void load(StateReader& in) { in.get(notices_), in.get(free_); }

 private:
  [[nodiscard]] std::uint32_t add(const Payload& payload, PortIndex port);

  std::vector<Notice> notices_;
  std::uint32_t free_ = none;
};

}  // namespace lightrail
