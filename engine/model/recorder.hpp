#pragma once
#include "engine/model/context.hpp"

namespace lightrail {

/// Where rows go. The engines call flush() on every rank at each multiple of interval() and once at the end,
/// after every event before `boundary` has been handled and none after it; rows appended between two flushes
/// form one interval, whatever their own times are. Intervals in which no event happens anywhere are left
/// out; so a boundary's interval number is boundary / interval() - 1. An interval of time_never: only the
/// last flush.
class Recorder : public RowSink {
 public:
  virtual ~Recorder() = default;
  virtual SimTime interval() const = 0;
  virtual void flush(SimTime boundary) = 0;  ///< collective over all ranks
};

}  // namespace lightrail
