#pragma once
#include <cstdint>
#include <span>

#include "engine/base/error.hpp"
#include "engine/model/recorder.hpp"

namespace lightrail::test {

/// Refuses the rows from `at` on.
class RefusingRecorder final : public Recorder {
 public:
  explicit RefusingRecorder(SimTime at) : at_(at) {}
  SimTime interval() const override { return time_never; }
  void append(TableId, ComponentId, SimTime time, std::span<const std::int64_t>) override {
    if (time >= at_) throw ContractError("no such row");
  }
  void flush(SimTime) override {}

 private:
  SimTime at_;
};

}  // namespace lightrail::test
