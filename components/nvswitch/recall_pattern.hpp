#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"
#include "network/port/line_record.hpp"

namespace lightrail {

/// What has come in on a port and left its buffer at once, and so what its sender is owed of credits. Plain
/// state.
class FreedRecord {
 public:
  /// A train has left; all that has will have left at `free_at`.
  void add(std::uint32_t bytes, SimTime free_at);
  /// Bytes that are free and not reported behind all of it, where `unreported` were before, and bytes are
  /// reported as soon as they are `limit` [B].
  [[nodiscard]] std::uint32_t unreported_then(std::uint32_t unreported, std::uint32_t limit) const;
  /// The most that are free at one time and were not before [B].
  [[nodiscard]] std::uint32_t most_at_once() const { return most_; }

  void save(StateWriter& out) const { out.put(runs_), out.put(free_at_), out.put(at_once_), out.put(most_); }
  void load(StateReader& in) { in.get(runs_), in.get(free_at_), in.get(at_once_), in.get(most_); }

 private:
  struct Run {
    std::uint32_t bytes = 0, count = 0;
  };
  std::vector<Run> runs_;
  SimTime free_at_{};
  std::uint32_t at_once_ = 0, most_ = 0;
};

/// Of a member of a circle in a collective that was recorded. Plain state.
struct RecallPart {
  LineRecord line;                      ///< of the NVSwitch's port to it
  FreedRecord freed;                    ///< of the port from it
  std::uint32_t unreported_before = 0;  ///< of that one [B]

  void save(StateWriter& out) const { line.save(out), freed.save(out), out.put(unreported_before); }
  void load(StateReader& in) { line.load(in), freed.load(in), in.get(unreported_before); }
};

/// What a collective that was recorded puts on the lines of an NVSwitch. Plain state.
struct RecallPattern {
  SimTime rest{};  ///< from the first member's first byte until all is at rest; 0: it could not be kept
  std::vector<RecallPart> parts;  ///< by member

  void save(StateWriter& out) const {
    out.put(rest), out.put(parts.size());
    for (const RecallPart& part : parts) part.save(out);
  }
  void load(StateReader& in) {
    std::size_t count = 0;
    in.get(rest), in.get(count);
    parts.assign(count, {});
    for (RecallPart& part : parts) part.load(in);
  }
};

}  // namespace lightrail
