#include "fabrics/patch_panel/panel_circuits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace lightrail {
namespace {

CircuitCounts by_demand(std::uint32_t members, std::uint32_t group, std::uint32_t per_server) {
  DemandMatrix demand(members);
  for (std::uint32_t a = 0; a < members; ++a)
    for (std::uint32_t b = 0; b < members; ++b)
      if (a != b && a / group == b / group) demand.at(a, b) = 1'000'000;  // all alike: only ratios count
  return assign_circuits(Assignment::topoopt, demand, per_server);
}

/// As far apart as `most` of them allow.
std::vector<std::uint32_t> even_strides(std::uint32_t members, std::uint32_t most) {
  std::vector<std::uint32_t> strides;
  for (std::uint32_t k = 0; k < most; ++k)
    strides.push_back(std::clamp(static_cast<std::uint32_t>(std::lround(std::pow(members, double(k) / most))),
                                 1u, members - 1));
  return strides;
}

/// Nothing where a word is no number from 1 to members - 1.
std::vector<std::uint32_t> read_strides(const std::string& text, std::uint32_t members) {
  std::vector<std::uint32_t> strides;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::uint32_t stride = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), stride);
    if (read.ec != std::errc{} || read.ptr != word.data() + word.size() || stride < 1 || stride >= members)
      return {};
    strides.push_back(stride);
  }
  return strides;
}

}  // namespace

std::optional<CircuitCounts> panel_circuits(const Element& fabric, const PanelSpec& spec,
                                            std::uint32_t members, std::uint32_t per_server,
                                            ErrorList& errors) {
  auto refuse = [&](const std::string& why) -> std::optional<CircuitCounts> {
    errors.add(fabric.error("<fabric> " + why));
    return std::nullopt;
  };
  if (per_server < 2)
    return refuse("kind=\"topoopt\" needs servers of two NICs or more: each has a neighbour on either side");
  if (spec.demand_servers > 0) {
    if (!spec.strides.empty() || spec.demand_servers < 2 || members % spec.demand_servers != 0)
      return refuse(
          fmt::format("attribute 'demand-servers': {} (expected a divisor of the {} servers, at least 2, and "
                      "no 'strides')",
                      spec.demand_servers, members));
    return by_demand(members, spec.demand_servers, per_server);
  }
  const std::uint32_t most = per_server / 2;
  const std::vector<std::uint32_t> strides =
      spec.strides.empty() ? even_strides(members, most) : read_strides(spec.strides, members);
  if (strides.size() > most || strides.empty())
    return refuse(
        fmt::format("attribute 'strides': '{}' (expected up to {} numbers from 1 to {}: each takes two of "
                    "the {} NICs of a server)",
                    spec.strides, most, members - 1, per_server));
  CircuitCounts counts(members);
  for (const std::uint32_t stride : strides)
    for (std::uint32_t a = 0; a < members; ++a) counts.add(a, (a + stride) % members);
  return counts;
}

}  // namespace lightrail
