#pragma once
#include <string>

#include "engine/model/context.hpp"
#include "engine/model/state_io.hpp"

namespace lightrail {

/// Where rows go. The engines call flush() on every rank at each multiple of interval() and once at the end,
/// after every event before `boundary` has been handled and none after it; rows appended between two flushes
/// form one interval, whatever their own times are. Intervals in which no event happens anywhere are left
/// out; so a boundary's interval number is boundary / interval() - 1. An interval of time_never: only the
/// last flush.
class Recorder : public RowSink {
 public:
  virtual ~Recorder() = default;
  [[nodiscard]] virtual SimTime interval() const = 0;
  virtual void flush(SimTime boundary) = 0;  ///< collective over all ranks

  /// Every few seconds of wall time, on each rank by itself: throws IoError when what was written is not
  /// there any more.
  virtual void check() {}

  /// Whether it needs no more rows of this rank. Where that is so on all ranks the run ends early, at a
  /// window, with what it has.
  [[nodiscard]] virtual bool is_full() const { return false; }

  /// For a checkpoint, in this order. save(): collective; rows of ended intervals are put where the run can
  /// find them again (files may go to `folder`), `run` gets what all ranks have together (rank 0's is
  /// stored). save_rows(): rows of one component of this rank since the last flush. A recorder that keeps
  /// nothing leaves all four as they are.
  virtual void save(StateWriter& run, const std::string& folder) { (void)run, (void)folder; }
  virtual void save_rows(ComponentId component, StateWriter& out) { (void)component, (void)out; }
  /// The counterparts, before the first row. Collective; every rank reads the same `run`.
  virtual void load(StateReader& run, const std::string& folder) { (void)run, (void)folder; }
  virtual void load_rows(ComponentId component, StateReader& in) { (void)component, (void)in; }
};

}  // namespace lightrail
