#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/model/describe.hpp"

namespace lightrail {

/// Which ports of a switch mark packets although they lack credits, and so are no root of congestion.
enum class VictimMask : std::uint8_t { none, hosts, all };

/// <congestion-control>: InfiniBand's (IBTA volume 1, annex A10), by its parameters' names there. The
/// defaults are those of configs/congestion/infiniband.xml, which has their sources.
struct CongestionSpec {
  std::uint32_t threshold = 15;     ///< of a port and lane's queue: 15 marks first, 1 last, 0 never
  std::uint32_t marking_rate = 10;  ///< packets passed over between two that are marked, on average
  Bytes packet_size{512};           ///< smaller packets are not marked
  VictimMask victims = VictimMask::hosts;
  std::uint32_t increase = 1;            ///< of a flow's index into the table, by a notice of a marked packet
  std::uint32_t minimum = 0;             ///< least index
  std::uint32_t limit = 127;             ///< greatest index
  SimTime timer = nanoseconds(153'600);  ///< an index falls by one each time it ends
  std::string table;                     ///< "1, 3:12": see parse_rate_table(); "": quadratic_table()

  /// What a packet must find before it to be marked, where a port and lane have a `buffer`.
  [[nodiscard]] Bytes marked_above(Bytes buffer) const {
    return Bytes{buffer.value / 16 * (16 - std::int64_t{threshold})};
  }
};

/// An entry of the congestion control table: the pause behind a packet, in times that the packet takes on the
/// line: multiplier / 2^shift.
struct RateEntry {
  std::uint32_t multiplier = 0;  ///< < 2^14
  std::uint32_t shift = 0;       ///< < 2^2
  [[nodiscard]] SimTime pause(SimTime packet) const {
    return SimTime{(packet.count() >> shift) * std::int64_t{multiplier}};
  }
  bool operator==(const RateEntry&) const = default;
};

/// Entries of a table at most: two blocks of 64, as the subnet manager writes them.
inline constexpr std::uint32_t max_rate_entries = 128;

/// The table of Mellanox's congestion control manager: entry i is the integral part of 7 (i / 95)^2 / 0.218.
[[nodiscard]] std::vector<RateEntry> quadratic_table();
/// Reads "0, 1, 3:12": multipliers, or shift and multiplier. "" or what is wrong.
[[nodiscard]] std::string parse_rate_table(const std::string& text, std::vector<RateEntry>& table);

/// Model resource: switches mark and NICs pause as it says. Without it nobody does.
class CongestionControl {
 public:
  /// `table`: not empty, limit + 1 entries at least.
  CongestionControl(CongestionSpec spec, std::vector<RateEntry> table)
      : spec_(std::move(spec)), table_(std::move(table)) {}
  [[nodiscard]] const CongestionSpec& spec() const { return spec_; }
  /// Behind what takes `line` on the line, at that index.
  [[nodiscard]] SimTime pause(std::uint32_t index, SimTime line) const { return table_[index].pause(line); }

 private:
  CongestionSpec spec_;
  std::vector<RateEntry> table_;  ///< by index
};

[[nodiscard]] Describe<CongestionSpec> congestion_parameters();

}  // namespace lightrail
