#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/context.hpp"
#include "engine/model/kind.hpp"
#include "engine/model/state_io.hpp"
#include "network/port/link_meter.hpp"
#include "network/wire/connection.hpp"

namespace lightrail {

struct QueuePairs;

/// What the output links of one component carry by group kind and phase of the connection: rows of
/// link_traffic, which is recorded only where <output> names it. Plain state.
class TrafficMeters {
 public:
  explicit TrafficMeters(const BuildContext& build);
  [[nodiscard]] bool is_on() const { return !by_port_.empty(); }
  /// Only while is_on(). `busy` from `start` on is for `connection`; as LinkMeter::add.
  void add(Context& context, PortIndex port, Connection connection, SimTime start, SimTime busy,
           std::uint32_t payload_bytes);
  /// The same of a run of trains, as LinkMeter::add_run.
  void add_run(Context& context, PortIndex port, Connection connection, SimTime start, SimTime period,
               SimTime busy, std::uint32_t payload_bytes, std::uint32_t count);
  /// Writes the last rows.
  void finish(Context& context);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  [[nodiscard]] LinkMeter& meter_of(PortIndex port, Connection connection);

  const QueuePairs* pairs_;  ///< null: a connection has one
  MeterSettings settings_;
  std::vector<LinkId> links_;                    ///< by port
  std::vector<std::vector<LinkMeter>> by_port_;  ///< by traffic, sorted; empty unless the table is recorded
};

}  // namespace lightrail
