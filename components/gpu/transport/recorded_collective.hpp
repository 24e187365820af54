#pragma once
#include <cstdint>
#include <vector>

#include "components/gpu/transport/sent_payload.hpp"
#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"
#include "network/port/line_record.hpp"

namespace lightrail {

/// What one GPU did in a collective; times from its first byte at this GPU on. Plain state.
struct RecordedCollective {
  /// A row of the messages table, of what this GPU received.
  struct Row {
    std::int64_t from = 0, connection = 0, payload_bytes = 0;
    SimTime head{}, end{};
  };
  SimTime set_at{}, end{};  ///< the wake of its end was set then; it ended
  LineRecord line;          ///< of the port to the NVSwitch
  std::vector<Row> rows;
  SentPayload sent;

  void save(StateWriter& out) const {
    out.put(set_at), out.put(end), line.save(out), out.put(rows), sent.save(out);
  }
  void load(StateReader& in) { in.get(set_at), in.get(end), line.load(in), in.get(rows), sent.load(in); }
};

}  // namespace lightrail
