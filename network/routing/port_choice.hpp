#pragma once
#include <cstdint>
#include <numeric>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/hash.hpp"
#include "network/routing/routing_kind.hpp"

namespace lightrail {

/// The one of at most one port; `unroutable` where there is none, or it has no link.
[[nodiscard]] inline PortIndex only_port(const SwitchRoute::Candidates& ports, const EgressBank& egress) {
  LIGHTRAIL_EXPECT(ports.count < 2);
  return ports.count == 1 && egress.is_connected(ports[0]) ? ports[0] : unroutable;
}

/// The first of `ports`, from place `first` on and around, with the least trouble; `unroutable` when none is
/// connected. One that is down is chosen where all are: its train waits in the switch.
[[nodiscard]] PortIndex first_usable(const SwitchRoute::Candidates& ports, std::uint32_t first,
                                     const EgressBank& egress, SimTime now);

/// A hash onto [0, count) without division.
[[nodiscard]] inline std::uint32_t spread(std::uint64_t hash, std::uint32_t count) {
  return static_cast<std::uint32_t>((hash >> 32) * count >> 32);
}

/// Number `further` of a row of ways that begins with the hash's own, [0, count), and comes to all of them
/// before it repeats one; the row is drawn by the hash.
[[nodiscard]] inline std::uint32_t spread(std::uint64_t hash, std::uint32_t count, std::uint32_t further) {
  const std::uint32_t first = spread(hash, count);
  if (further == 0 || count < 2) return first;
  std::uint32_t stride = 1 + static_cast<std::uint32_t>(hash) % (count - 1);
  while (std::gcd(stride, count) != 1) stride = stride % (count - 1) + 1;
  return static_cast<std::uint32_t>((first + std::uint64_t{further} * stride) % count);
}

/// The hash of a flow with a switch's own salt.
[[nodiscard]] inline std::uint64_t flow_hash(std::uint64_t salt, const Address& flow) {
  return hash_combine(hash_combine(salt, flow.flow()), flow.to().value);
}
[[nodiscard]] inline std::uint64_t flow_hash(std::uint64_t salt, const Frame& train) {
  return flow_hash(salt, train.address);
}

/// Draws ties: numbers that depend on the switch's salt and on how many it has drawn, so on nothing but the
/// order of its own events. State.
class TieDraw {
 public:
  explicit TieDraw(std::uint64_t salt) : salt_(salt) {}
  std::uint64_t next() { return mix64(salt_ + 0x9e3779b97f4a7c15ULL * ++drawn_); }
  void save(StateWriter& out) const { out.put(drawn_); }
  void load(StateReader& in) { in.get(drawn_); }

 private:
  std::uint64_t salt_;
  std::uint64_t drawn_ = 0;  ///< so far
};

/// Whose turn it is among the ports, by what goes to one destination. Destinations that share an entry share
/// their turns. State.
template <typename Turn>
class DestinationTurns {
 public:
  DestinationTurns(std::uint64_t salt, std::uint32_t entries) : salt_(salt), turns_(entries) {}

  /// That of `to`.
  Turn& of(EndpointId to) {
    return turns_[spread(mix64(hash_of(to)), static_cast<std::uint32_t>(turns_.size()))];
  }
  /// The place of the next of `count` ports, where `turns` of them have had theirs.
  [[nodiscard]] std::uint32_t place(EndpointId to, std::uint32_t turns, std::uint32_t count) const {
    return (spread(hash_of(to), count) + turns) % count;
  }
  void save(StateWriter& out) const { out.put(turns_); }
  void load(StateReader& in) { in.get(turns_); }

 private:
  [[nodiscard]] std::uint64_t hash_of(EndpointId to) const { return hash_combine(salt_, to.value); }

  std::uint64_t salt_;
  std::vector<Turn> turns_;
};

/// A port and how much lies before a train there.
struct LoadedPort {
  PortIndex port = unroutable;
  Backlog load;
};

/// Of the `ports` with the least trouble the one that lets `train` go on `lane` and has the least backlog; of
/// equal ones the first from the place that `tie` chooses: a hash, or a number drawn anew (TieDraw). Ports
/// are equal that have less than `equal_bytes` before the train; where none has so little, those that are
/// less than these bytes behind the least loaded. Port `unroutable` when none is connected.
[[nodiscard]] LoadedPort least_loaded(const SwitchRoute::Candidates& ports, std::uint64_t tie,
                                      const Frame& train, std::uint8_t lane, const EgressBank& egress,
                                      const Context& context, std::uint32_t equal_bytes = 0);

}  // namespace lightrail
