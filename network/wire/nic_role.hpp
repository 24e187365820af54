#pragma once
#include <string>

#include "engine/scenario/scenario.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

/// As XML has it: "storage".
[[nodiscard]] std::string name_of(NicRole role);
/// What names of components of such a network begin with: "storage-"; of compute "".
[[nodiscard]] std::string prefix_of(NicRole role);

/// What `attribute` of `element` says that a NIC, or the fabric of such NICs, is for: compute where it is not
/// given. Another word goes to `errors`, and is taken for compute.
[[nodiscard]] NicRole read_nic_role(const Element& element, const char* attribute, ErrorList& errors);

}  // namespace lightrail
