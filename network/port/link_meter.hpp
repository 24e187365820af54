#pragma once
#include <cstdint>

#include "engine/model/context.hpp"
#include "engine/model/model.hpp"
#include "network/wire/connection.hpp"

namespace lightrail {

/// What every meter of a component shares.
struct MeterSettings {
  SimTime interval = time_never;  ///< [ps] length of a recording interval
  bool is_recorded = false;       ///< <output> asks for it
  bool is_by_traffic = false;     ///< rows are of link_traffic
};
[[nodiscard]] MeterSettings meter_settings(const Model& model);

/// Counts what one directed link carries, or a kind of traffic on it, and writes a row of link_use, or of
/// link_traffic, for each recording interval in which it carried something, when the interval is past. Trains
/// come in order of their start, or count with the last; payload counts in the interval of the start, busy
/// time is split where a train crosses into the next interval.
class LinkMeter {
 public:
  LinkMeter() = default;
  explicit LinkMeter(LinkId link, Connection traffic = {}) : link_(link), traffic_(traffic) {}
  void add(Context& context, const MeterSettings& settings, SimTime start, SimTime busy,
           std::uint32_t payload_bytes) {
    total_bytes_ += payload_bytes;
    if (start + busy > interval_end_) return roll(context, settings, start, busy, payload_bytes);
    bytes_ += payload_bytes;
    busy_ += busy;
  }
  /// The same of `count` trains, each `period` (>= `busy`, or 0 of one) behind the one before.
  void add_run(Context& context, const MeterSettings& settings, SimTime start, SimTime period, SimTime busy,
               std::uint32_t payload_bytes, std::uint32_t count);
  /// Writes the last row.
  void finish(Context& context, const MeterSettings& settings);

  [[nodiscard]] std::int64_t total_bytes() const { return total_bytes_; }  ///< payload of the whole run [B]
  [[nodiscard]] Connection traffic() const { return traffic_; }

 private:
  void roll(Context& context, const MeterSettings& settings, SimTime start, SimTime busy,
            std::uint32_t payload_bytes);
  void write(Context& context, const MeterSettings& settings);

  SimTime interval_end_{0};  ///< time_never after the first train where nothing is recorded
  std::int64_t bytes_ = 0, total_bytes_ = 0;
  SimTime busy_{};
  LinkId link_{};
  Connection traffic_{};  ///< of link_traffic: group kind and phase
};

}  // namespace lightrail
