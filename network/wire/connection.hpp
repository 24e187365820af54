#pragma once
#include <compare>
#include <cstdint>

#include "engine/base/error.hpp"
#include "engine/base/id.hpp"

namespace lightrail {

/// Endpoints take 20 bits: 1,048,576 GPUs, hosts and storage servers.
inline constexpr std::uint32_t endpoint_bits = 20;
inline constexpr std::uint32_t endpoint_mask = (1u << endpoint_bits) - 1;

/// One direction of traffic between two endpoints that is ordered and counted by itself: 24 bits made of the
/// group kind (8), the channel (8), the attempt (3) of its job and a phase (5: data, clear-to-send, ...). The
/// receiver knows from its program how many bytes the next message of a connection has, so trains carry no
/// message number. A job that was restarted makes its connections anew: what is left of an earlier attempt is
/// told from them.
struct Connection {
  static constexpr std::uint32_t bits = 24;
  static constexpr std::uint32_t phase_bits = 5;
  static constexpr std::uint32_t max_group_kinds = 256, max_channels = 256, max_phases = 1u << phase_bits,
                                 max_attempts = 256u >> phase_bits;

  std::uint32_t value = 0;  ///< < 2^bits
  /// group_kind < max_group_kinds, channel < max_channels, phase < max_phases.
  [[nodiscard]] static constexpr Connection make(std::uint32_t group_kind, std::uint32_t channel,
                                                 std::uint32_t phase) {
    LIGHTRAIL_EXPECT(group_kind < max_group_kinds && channel < max_channels && phase < max_phases);
    return {group_kind << 16 | channel << 8 | phase};
  }
  [[nodiscard]] constexpr std::uint32_t group_kind() const { return value >> 16 & 0xff; }
  [[nodiscard]] constexpr std::uint32_t channel() const { return value >> 8 & 0xff; }
  [[nodiscard]] constexpr std::uint32_t phase() const { return value & (max_phases - 1); }
  /// How often its job had been restarted when it was made, < max_attempts.
  [[nodiscard]] constexpr std::uint32_t attempt() const { return (value & 0xff) >> phase_bits; }
  /// The same of attempt number `attempt` (< max_attempts).
  [[nodiscard]] constexpr Connection in_attempt(std::uint32_t attempt) const {
    LIGHTRAIL_EXPECT(attempt < max_attempts);
    return {(value & ~(0xffu << phase_bits & 0xffu)) | attempt << phase_bits};
  }
  constexpr auto operator<=>(const Connection&) const = default;
};

/// A connection of `endpoint`, 44 bits.
[[nodiscard]] constexpr std::uint64_t flow_of(EndpointId endpoint, Connection connection) {
  return std::uint64_t{endpoint.value} << Connection::bits | connection.value;
}

/// Between which endpoints and on which connection, in 8 bytes.
class Address {
 public:
  constexpr Address() = default;
  constexpr Address(EndpointId from, EndpointId to, Connection connection)
      : to_(to.value | connection.value >> half << endpoint_bits),
        from_(from.value | (connection.value & half_mask) << endpoint_bits) {}

  [[nodiscard]] constexpr EndpointId from() const { return EndpointId{from_ & endpoint_mask}; }
  [[nodiscard]] constexpr EndpointId to() const { return EndpointId{to_ & endpoint_mask}; }
  [[nodiscard]] constexpr Connection connection() const {
    return {to_ >> endpoint_bits << half | from_ >> endpoint_bits};
  }
  /// What identifies a flow to ECMP and to the receiver; 44 bits.
  [[nodiscard]] constexpr std::uint64_t flow() const { return flow_of(from(), connection()); }
  /// The bytes as a word, `to` in its lower half.
  [[nodiscard]] constexpr std::uint64_t word() const { return to_ | std::uint64_t{from_} << 32; }
  constexpr bool operator==(const Address&) const = default;

 private:
  static constexpr std::uint32_t half = Connection::bits / 2, half_mask = (1u << half) - 1;
  static_assert(endpoint_bits + half == 32);

  std::uint32_t to_ = 0, from_ = 0;  ///< the endpoint below, half of the connection above
};
static_assert(sizeof(Address) == 8);

}  // namespace lightrail
