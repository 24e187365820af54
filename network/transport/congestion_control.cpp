#include "network/transport/congestion_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace lightrail {
namespace {

constexpr std::uint32_t max_multiplier = (1u << 14) - 1, max_shift = 3;

bool read_number(std::string_view text, std::uint32_t limit, std::uint32_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value <= limit;
}

bool read_entry(std::string_view text, RateEntry& entry) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return read_number(text, max_multiplier, entry.multiplier);
  return read_number(text.substr(0, colon), max_shift, entry.shift) &&
         read_number(text.substr(colon + 1), max_multiplier, entry.multiplier);
}

}  // namespace

std::vector<RateEntry> quadratic_table() {
  std::vector<RateEntry> table;
  for (std::uint32_t i = 0; i < max_rate_entries; ++i)
    table.push_back({i * i * 7000 / (95 * 95 * 218), 0});  // 7 i^2 / 95^2 / 0.218, rounded down
  return table;
}

std::string parse_rate_table(const std::string& text, std::vector<RateEntry>& table) {
  table.clear();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    RateEntry entry;
    if (!read_entry(std::string_view(text).substr(begin, end - begin), entry))
      return fmt::format(
          "'{}' is no list of multipliers up to {}, or of shift:multiplier with shifts up to {} "
          "(0, 1, 3:12)",
          text, max_multiplier, max_shift);
    table.push_back(entry);
    begin = end + 1;
  }
  if (table.size() > max_rate_entries)
    return fmt::format("{} entries are more than the {} of a table", table.size(), max_rate_entries);
  return "";
}

Describe<CongestionSpec> congestion_parameters() {
  using S = CongestionSpec;
  return Describe<S>()
      .field(
          "threshold", &S::threshold,
          "a packet is marked where the queue that it finds has more than (16 - threshold) / 16 of a buffer; "
          "0: none is",
          0u, 15u)
      .field("marking-rate", &S::marking_rate,
             "packets that are passed over between two that are marked, on average", 0u, 65'535u)
      .field("packet-size", &S::packet_size, "smaller packets are not marked", Bytes{0}, Bytes{16'320})
      .choice("victim-mask", &S::victims,
              "ports of switches that mark without credits too, though they are no root of the congestion",
              {{"none", VictimMask::none}, {"hosts", VictimMask::hosts}, {"all", VictimMask::all}})
      .field("ccti-increase", &S::increase, "what a notice of a marked packet adds to a flow's index", 1u,
             255u)
      .field("ccti-min", &S::minimum, "least index", 0u, max_rate_entries - 1)
      .field("ccti-limit", &S::limit, "greatest index; the table has that entry", 0u, max_rate_entries - 1)
      .field("ccti-timer", &S::timer, "a NIC's indices fall by one whenever so much time has passed",
             nanoseconds(1024), nanoseconds(65'535 * 1024ll))
      .field("cct", &S::table,
             "pauses behind a packet by index, in times that the packet takes on the line: multipliers (0, "
             "1, 3), "
             "or shift:multiplier for multiplier / 2^shift; without it 7 (i / 95)^2 / 0.218, rounded down");
}

}  // namespace lightrail
