#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// One running communication operation of one GPU: plain state. `counts` by kind of operation:
///   ring: by channel, receives done and sends posted, behind them by channel clears received and sent;
///   all-to-all: by peer offset, 1 sent, 2 received, 3 both; others: one pair of flags.
struct CommRun {
  /// meeting: as a formula has it (FormulaDetail); recalled: as one before it went (RecallPlan).
  enum class Stage : std::uint8_t { free, starting, waiting, running, finishing, meeting, recalled };
  struct Count {
    std::uint32_t received = 0, sent = 0;
  };
  std::uint32_t op = 0;
  Stage stage = Stage::free;
  Algorithm algorithm = Algorithm::auto_select;
  Protocol protocol = Protocol::auto_select;
  std::uint8_t unused = 0;
  std::uint32_t channels = 0;
  std::uint32_t open = 0;    ///< what must still happen: receives, notices; 0: complete
  SimTime start{}, until{};  ///< until: the latest end of messages that are only counted; of one
                             ///< that is recalled its own
  std::vector<Count> counts;

  void save(StateWriter& out) const {
    out.put(op), out.put(stage), out.put(algorithm), out.put(protocol), out.put(channels), out.put(open);
    out.put(start), out.put(until), out.put(counts);
  }
  void load(StateReader& in) {
    in.get(op), in.get(stage), in.get(algorithm), in.get(protocol), in.get(channels), in.get(open);
    in.get(start), in.get(until), in.get(counts);
  }
};

}  // namespace lightrail
