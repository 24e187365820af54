#include "fabrics/servers/failed_nics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string_view>

namespace lightrail {

namespace {

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Marks the NICs that one word means; false: it means none.
bool mark(std::string_view word, Regions& regions) {
  const std::size_t nics = regions.gpu_of_nic.size(), colon = word.find(':');
  const bool is_region = !word.empty() && word[0] == 'r', has_part = colon != std::string_view::npos;
  const auto first = number(word.substr(is_region, has_part ? colon - is_region : colon));
  const auto part = has_part ? number(word.substr(colon + 1)) : std::nullopt;
  if (!first || (has_part && !part) || (!is_region && !has_part)) return false;
  const auto fail = [&](Regions::Region& region, std::size_t member, std::size_t nic) {
    region.failed.resize(region.servers.size() * nics);
    region.failed[member * nics + nic] = 1;
    return true;
  };
  if (!is_region) {
    const Regions::Place place = regions.place(*first);
    return place.region != Regions::none && *part < nics &&
           fail(regions.regions[place.region], place.member, *part);
  }
  if (*first >= regions.regions.size()) return false;
  Regions::Region& region = regions.regions[*first];
  const std::size_t ports = regions.optical_nics.size(), all = region.servers.size() * ports;
  if (has_part) return *part < all && fail(region, *part / ports, regions.optical_nics[*part % ports]);
  for (std::size_t port = 0; port < all; ++port)
    fail(region, port / ports, regions.optical_nics[port % ports]);
  return true;
}

}  // namespace

std::string mark_failed(const std::string& text, Regions& regions) {
  std::istringstream words(text);
  for (std::string word; words >> word;)
    if (word != "none" && !mark(word, regions))
      return fmt::format(
          "'{}' (expected server:nic, such as 4:0, or a port or all of a region's optical switch, "
          "such as r0:5 or r0; there are {} servers of {} NICs in {} regions)",
          word, regions.place_of_server.size(), regions.gpu_of_nic.size(), regions.regions.size());
  for (std::size_t s = 0; s < regions.place_of_server.size(); ++s) {
    const Regions::Place place = regions.place_of_server[s];
    if (!regions.packet_nics.empty() &&
        std::none_of(regions.packet_nics.begin(), regions.packet_nics.end(), [&](std::uint16_t nic) {
          return regions.regions[place.region].works(place.member, nic);
        }))
      return fmt::format("no packet NIC of server {} is left", s);
  }
  return "";
}

}  // namespace lightrail
