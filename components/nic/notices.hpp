#pragma once
#include <cstdint>
#include <optional>
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
    SimTime tail{};  ///< of the part that leaves last, of those that have left
    std::uint32_t next = none;
    PortIndex port = 0;
    std::uint16_t parts = 1;  ///< that have not left
  };

  /// Owes one for `work`, which leaves in so many parts; returns its number.
  [[nodiscard]] std::uint32_t add(const DeferredWork& work, std::uint32_t parts = 1);
  /// The buffer of `train`, which came in on `port`, is to be free then.
  [[nodiscard]] std::uint32_t add(const Frame& train, PortIndex port);
  /// A part of the one of that number leaves at `tail`. The last one: what is owed no longer; its device is
  /// to be told at its `tail`.
  [[nodiscard]] std::optional<Notice> part_sent(std::uint32_t number, SimTime tail);
  /// A part of it does not leave from here. True: it was the last one, and its device is told nothing.
  [[nodiscard]] bool part_cancelled(std::uint32_t number) {
    return part_sent(number, SimTime{0}).has_value();
  }

  void save(StateWriter& out) const { out.put(notices_), out.put(free_); }
  void load(StateReader& in) { in.get(notices_), in.get(free_); }

 private:
  [[nodiscard]] std::uint32_t add(const Payload& payload, PortIndex port, std::uint32_t parts);

  std::vector<Notice> notices_;
  std::uint32_t free_ = none;
};

}  // namespace lightrail
