#pragma once
#include <cstdint>
#include <vector>

#include "network/wire/address_book.hpp"

namespace lightrail {

/// Which GPU of a server has the NIC of which rail: those that the fabric reaches.
class RailOwners {
 public:
  static constexpr std::uint16_t none = 0xffff;

  /// Of the server of `gpu`.
  RailOwners(const AddressBook& book, EndpointId gpu);

  /// Number within its server of the first GPU that has the NIC; none: no GPU has it.
  [[nodiscard]] std::uint16_t owner(std::uint16_t nic) const {
    return nic < owner_.size() ? owner_[nic] : none;
  }
  /// No GPU of the server has a NIC.
  [[nodiscard]] bool is_empty() const { return owner_.empty(); }

 private:
  std::vector<std::uint16_t> owner_;  ///< by NIC index within the server
};

}  // namespace lightrail
