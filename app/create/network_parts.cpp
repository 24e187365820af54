#include "app/create/network_parts.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/scenario/units.hpp"

namespace lightrail {
namespace {

struct Network {
  std::int64_t bits_per_second;
  NetworkParts parts;
};

const std::vector<Network>& networks() {
  static const std::vector<Network> all = {
      {100'000'000'000,
       {"", "switch", "switches/ports64_100g", "links/100g_copper", "links/100g_copper", "", "3 m", "5 m"}},
      {200'000'000'000,
       {"", "switch", "switches/qm8700", "links/hdr_copper", "links/hdr_copper", "", "3 m", "5 m"}},
      {400'000'000'000,
       {"", "switch", "switches/qm9700", "links/ndr_copper", "links/ndr_dr4", "", "30 m", "100 m"}},
      {800'000'000'000,
       {"", "switch", "switches/q3400", "links/xdr_dr8", "links/xdr_dr8", "3 m", "30 m", "100 m"}},
      {400'000'000'000,
       {"nics/connectx7_400g_roce", "ethernet-switch", "ethernet-switches/spectrum4_sn5600",
        "links/roce_400g_copper", "links/roce_400g_dr4", "", "30 m", "100 m"}},
  };
  return all;
}

}  // namespace

NetworkParts network_parts(BitRate rate, bool is_ethernet) {
  std::vector<std::string> rates;
  for (const auto& [bits_per_second, parts] : networks()) {
    if ((parts.switch_element == "ethernet-switch") != is_ethernet) continue;
    if (rate == BitRate{bits_per_second}) return parts;
    rates.push_back(format_value(BitRate{bits_per_second}));
  }
  throw InputErrors(InputError{
      "", 0,
      fmt::format("new: the catalogue has no switches and cables of {} for NICs of {} "
                  "(there are those for {})",
                  is_ethernet ? "Ethernet" : "InfiniBand", format_value(rate), fmt::join(rates, ", "))});
}

}  // namespace lightrail
