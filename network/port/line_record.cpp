#include "network/port/line_record.hpp"

namespace lightrail {

void LineRecord::add(SimTime start, SimTime busy, std::uint32_t payload_bytes, Connection connection) {
  if (!runs.empty()) {
    Run& last = runs.back();
    const bool is_alike =
        last.busy == busy && last.payload_bytes == payload_bytes && last.connection == connection;
    const SimTime period = start - (last.start + (last.count - 1) * last.period);
    if (is_alike && period >= SimTime{0} && (last.count == 1 || last.period == period)) {
      last.period = period;
      ++last.count;
      return;
    }
  }
  runs.push_back({start, SimTime{0}, busy, 1, payload_bytes, connection, 0});
}

}  // namespace lightrail
