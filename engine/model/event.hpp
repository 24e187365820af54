#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"

namespace lightrail {

/// What one component tells another: 16 plain bytes. The components that share a link agree on the meaning
/// (network/wire/train.hpp for everything that carries messages).
struct Payload {
  std::uint8_t kind = 0;
  std::uint8_t lane = 0;
  std::uint16_t count = 0;
  std::uint32_t bytes = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  bool operator==(const Payload&) const = default;
};

/// A payload as it travels from the sender's registers to where the engine files it. A narrow store that a
/// wider load follows at once stalls the processor, so an event is not put together in memory before that.
struct PayloadWords {
  std::uint64_t low = 0, high = 0;

  PayloadWords() = default;
  explicit PayloadWords(const Payload& p)
      : low(p.kind | std::uint64_t{p.lane} << 8 | std::uint64_t{p.count} << 16 |
            std::uint64_t{p.bytes} << 32),
        high(p.a | std::uint64_t{p.b} << 32) {}
  Payload payload() const { return std::bit_cast<Payload>(*this); }
};
static_assert(sizeof(PayloadWords) == sizeof(Payload) && std::endian::native == std::endian::little);

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
inline bool comes_before(const Event& x, const Event& y) {
  if (x.time != y.time) return x.time < y.time;
  if (x.link != y.link) return x.link < y.link;
  return x.tie < y.tie;
}

}  // namespace lightrail
