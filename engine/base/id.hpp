#pragma once
#include <compare>
#include <cstdint>
#include <limits>

namespace lightrail {

/// An index whose type says what it counts. Default: invalid.
template <class Tag>
struct Id {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value = none;

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t v) : value(v) {}
  [[nodiscard]] constexpr bool is_valid() const { return value != none; }
  // clang-tidy 14 takes the 0 that the compiler compares with for a pointer.
  constexpr auto operator<=>(const Id&) const = default;  // NOLINT(modernize-use-nullptr)
};

using ComponentId = Id<struct ComponentTag>;  ///< global, dense, in the model's canonical order
using LinkId = Id<struct LinkTag>;            ///< one direction of a link; global, dense, canonical
using AtomId = Id<struct AtomTag>;          ///< parts that are never split between ranks (a server, a switch)
using EndpointId = Id<struct EndpointTag>;  ///< what sends and receives messages: GPU, host, storage server
using Lid = Id<struct LidTag>;  ///< fabric address of a NIC port; a subtree of a fabric is one interval
using GroupKindId = Id<struct GroupKindTag>;  ///< a family of disjoint groups of GPUs (TP, DP, EP ...)

}  // namespace lightrail
