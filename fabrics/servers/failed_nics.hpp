#pragma once
#include <string>

#include "network/circuits/regions.hpp"

namespace lightrail {

/// Marks what is out of order from the start, and what everybody knows of: "4:0" NIC 0 of server 4, "r1:5"
/// port 5 of the optical switch of region 1, "r1" that whole switch; words apart by spaces, or "none".
/// Gives "" or what is wrong.
[[nodiscard]] std::string mark_failed(const std::string& text, Regions& regions);

}  // namespace lightrail
