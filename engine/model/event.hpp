#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"

namespace lightrail {

/// What one component tells another: 16 plain bytes, of which the engine knows nothing. A struct of the same
/// size, whose first byte is its kind, says what they hold (network/wire/message.hpp): to_payload() and as()
/// are the ways in and out.
///
/// Two words: it travels in registers from its sender to where the engine files it, for a narrow store that a
/// wider load follows at once stalls the processor.
class Payload {
 public:
  [[nodiscard]] std::uint8_t kind() const { return static_cast<std::uint8_t>(low_); }
  bool operator==(const Payload&) const = default;

 private:
  std::uint64_t low_ = 0, high_ = 0;
};
static_assert(sizeof(Payload) == 16 && std::is_trivially_copyable_v<Payload>);
static_assert(std::endian::native == std::endian::little);

/// One event in flight, 32 plain bytes. `link` is the directed link it arrives on and so names the
/// destination component and port; a component's events to itself use its self link. Total order per
/// destination: (time, link, tie), where tie counts the sends on one link. Nothing else orders events.
struct Event {
  SimTime time{};
  LinkId link{};
  std::uint32_t tie = 0;
  Payload payload{};
};
static_assert(sizeof(Event) == 32 && std::is_trivially_copyable_v<Event>);

/// The order that fixes every result.
[[nodiscard]] inline bool comes_before(const Event& x, const Event& y) {
  if (x.time != y.time) return x.time < y.time;
  if (x.link != y.link) return x.link < y.link;
  return x.tie < y.tie;
}

}  // namespace lightrail
