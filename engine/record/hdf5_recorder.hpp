#pragma once
#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/file_lock.hpp"
#include "engine/model/model.hpp"
#include "engine/model/output_selection.hpp"
#include "engine/model/recorder.hpp"
#include "engine/partition/partition.hpp"
#include "engine/record/column_writer.hpp"
#include "engine/record/result_file.hpp"
#include "engine/record/row_buffer.hpp"
#include "engine/record/row_spool.hpp"
#include "engine/record/run_outcome.hpp"
#include "engine/record/summary_collector.hpp"

namespace lightrail {

/// collective: every rank writes its part of the rows; gather: rank 0 writes all. The content is the same.
/// automatic: collective for writes of several chunks, unless ranks outnumber a node's cores (each
/// collective call then costs 10 ms and more).
enum class RecordMode : std::uint8_t { automatic, collective, gather };

struct RecorderOptions {
  std::string path;                      ///< empty: no file, only the summary
  SimTime interval = milliseconds(100);  ///< [ps] simulated time between two flush() calls, >= 1 ps
  RecordMode io = RecordMode::automatic;
  double write_every_s = 2;  ///< rows of short intervals wait together up to this wall time [s]; 0: never
  std::string command_line;
  std::string scenario_xml;         ///< resolved, stored as /run/scenario
  std::vector<std::string> inputs;  ///< files read, stored as /run/inputs
  std::vector<std::string>
      settings;                ///< "name=value" of --set and of a sweep's point, stored as /run/settings
  std::int64_t created_s = 0;  ///< seconds since 1970; 0: rank 0's clock
  SimTime resumed_at{};        ///< [ps] simulated time of the checkpoint, stored as /run/@resumed_at_ps
  /// Called by rank 0 in a complete run whose tables are written, with what the run amounts to, to add to
  /// /summary. May throw.
  std::function<void(ResultFile&, const Summary&)> add_to_summary;
  bool is_resumed = false;  ///< load() makes the file, when the checkpoint has proved sound
};

/// Writes the result file: tables as the run goes, /summary, /profile and the final status at its end. Rows
/// are in the order (interval, component, time, sequence), so the tables are the same for any number of
/// ranks. The file exists with status "running" as soon as the constructor returns; rows are appended by all
/// ranks together, the other parts are rank 0's. Every function but append() is collective; IoError is thrown
/// by all ranks together.
class Hdf5Recorder final : public Recorder {
 public:
  /// Throws IoError when the file cannot be created or another run is writing it; an existing file is then as
  /// it was.
  Hdf5Recorder(RecorderOptions options, MPI_Comm comm, const Model& model, const Partition& partition);
  ~Hdf5Recorder() override;

  /// Throws SimulationError, without a component, for a table that does not exist and for a row that has not
  /// as many values as its table has columns.
  void append(TableId table, ComponentId component, SimTime time, std::span<const std::int64_t> row) override;
  [[nodiscard]] SimTime interval() const override { return options_.interval; }
  void flush(SimTime boundary) override;
  void check() override;
  void save(StateWriter& run, const std::string& folder) override;
  void save_rows(ComponentId component, StateWriter& out) override;
  void load(StateReader& run, const std::string& folder) override;
  void load_rows(ComponentId component, StateReader& in) override;

  /// Ends the file with the run's status and returns what the run amounts to, the same on every rank. Call it
  /// also for a run that failed: what was recorded up to there is kept.
  Summary finish(const RunOutcome& outcome);

 private:
  /// A row since the last flush; of one component and table in the order they were made.
  struct OpenRow {
    std::uint32_t component;
    TableId table;
    std::size_t row;
    auto operator<=>(const OpenRow&) const = default;  // NOLINT(modernize-use-nullptr): see Quantity
  };
  void create_file();
  [[nodiscard]] std::string write_start();
  [[nodiscard]] bool is_asked_for(TableId table, std::span<const std::int64_t> row) const;
  /// Writes the rows of intervals before `before`.
  void write_pending(std::int64_t before = RowBuffer::any);
  /// Before the last rows: a table that has none yet and will have few gets chunks as short as it is, since a
  /// chunk is filtered whole.
  void shorten_chunks();
  [[nodiscard]] int writers_for(std::int64_t max_rows) const;
  void write_table(std::size_t table, std::int64_t before, int writers, ColumnWriter* columns);
  [[nodiscard]] std::string text_of(const std::string& problem) const;
  [[nodiscard]] std::string lost_file() const;     ///< what check() says, or ""
  void agree(const std::string& problem);          ///< of the result file
  void agree_on_text(const std::string& problem);  ///< the whole text

  RecorderOptions options_;
  MPI_Comm comm_;
  const Model* model_;
  const TableRegistry* tables_;
  const Partition* partition_;
  const OutputSelection* selection_;
  int rank_ = 0, ranks_ = 1;
  bool is_crowded_ = false;            ///< some node has more ranks than cores
  std::vector<RowBuffer> buffers_;     ///< by table
  std::vector<std::int64_t> written_;  ///< rows in the file, by table
  std::int64_t intervals_ = 0;
  bool has_file_ = false;
  FileLock lock_;                   ///< rank 0's, of the result file
  RowSpool spool_;                  ///< rank 0's
  std::string spool_folder_;        ///< empty: no spool yet
  std::vector<OpenRow> open_rows_;  ///< between save() and save_rows(), sorted
  double last_write_s_ = 0;
  SummaryCollector collector_;
};

}  // namespace lightrail
