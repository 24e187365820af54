#pragma once
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace lightrail {

/// What a NIC is for, and the fabric that joins it.
enum class NicRole : std::uint8_t {
  compute,  ///< what GPUs send each other, and storage where it has no fabric of its own
  storage,  ///< what a server reads from storage and writes to it
  frontend  ///< the same with storage that stands on the front end, and what users send and get
};
/// Networks behind hosts, beside that of the GPUs.
inline constexpr std::array host_networks = {NicRole::storage, NicRole::frontend};

inline constexpr std::array nic_roles = {NicRole::compute, NicRole::storage, NicRole::frontend};

/// One of T for each role of NICs.
template <class T>
struct ByRole {
  std::array<T, nic_roles.size()> all{};

  auto operator<=>(const ByRole&) const = default;  // NOLINT(modernize-use-nullptr): see Quantity
  [[nodiscard]] T& operator[](NicRole role) { return all[static_cast<std::size_t>(role)]; }
  [[nodiscard]] const T& operator[](NicRole role) const { return all[static_cast<std::size_t>(role)]; }
};

}  // namespace lightrail
