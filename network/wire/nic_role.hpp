#pragma once
#include "engine/scenario/scenario.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

/// What `attribute` of `element` says that a NIC, or the fabric of such NICs, is for: compute where it is not
/// given. Another word goes to `errors`, and is taken for compute.
[[nodiscard]] NicRole read_nic_role(const Element& element, const char* attribute, ErrorList& errors);

}  // namespace lightrail
