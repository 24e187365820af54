#pragma once
#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/model/recorder.hpp"

namespace lightrail::test {

/// Keeps rows in memory, with the recording interval they fell into.
class MemoryRecorder final : public Recorder {
 public:
  struct Row {
    std::size_t interval = 0;  ///< flushes before it
    TableId table = 0;
    ComponentId component{};
    SimTime time{};
    std::vector<std::int64_t> values;
  };

  explicit MemoryRecorder(SimTime interval = time_never) : interval_(interval) {}
  SimTime interval() const override { return interval_; }
  void append(TableId table, ComponentId component, SimTime time,
              std::span<const std::int64_t> row) override {
    rows.push_back({flushes.size(), table, component, time, {row.begin(), row.end()}});
  }
  void flush(SimTime boundary) override { flushes.push_back(boundary); }
  void save(StateWriter& run, const std::string&) override { run.put(flushes); }
  void save_rows(ComponentId component, StateWriter& out) override;
  void load(StateReader& run, const std::string&) override { run.get(flushes); }
  void load_rows(ComponentId component, StateReader& in) override;

  /// Of all rows on all ranks: rows of a component in their order, components in any. Collective.
  std::uint64_t digest(MPI_Comm comm) const;

  std::vector<Row> rows;
  std::vector<SimTime> flushes;

 private:
  SimTime interval_;
};

}  // namespace lightrail::test
