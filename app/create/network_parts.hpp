#pragma once
#include <string>

#include "engine/base/quantity.hpp"

namespace lightrail {

/// What a network is built of: entries of the catalogue.
struct NetworkParts {
  std::string nic;             ///< in place of the server's; "": the server's own
  std::string switch_element;  ///< "switch" or "ethernet-switch"
  std::string switch_entry, host_link, trunk_link;
  std::string host_length;                ///< of cables to NICs; "": the entry's own
  std::string trunk_length, core_length;  ///< of cables between switches
};

/// For servers whose NICs have ports of `rate`. Throws InputErrors where the catalogue has no such network.
[[nodiscard]] NetworkParts network_parts(BitRate rate, bool is_ethernet);

}  // namespace lightrail
