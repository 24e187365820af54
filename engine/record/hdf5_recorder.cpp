#include "engine/record/hdf5_recorder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <utility>

#include "engine/base/counted.hpp"
#include "engine/base/error.hpp"
#include "engine/base/polite_wait.hpp"
#include "engine/record/redistribute.hpp"
#include "engine/record/result_file.hpp"
#include "engine/record/write_model.hpp"
#include "engine/record/write_run.hpp"

namespace lightrail {

namespace {

// Below, about 25 MB of ops, rank 0 is done before a collective write has agreed on the columns.
constexpr std::int64_t rows_worth_sharing = 4 * many_rows;

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

template <class T>
void all_reduce(MPI_Comm comm, T* values, std::size_t count, MPI_Datatype type, MPI_Op op) {
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, values, static_cast<int>(count), type, op, comm, &request);
  wait_politely(request);
}

/// Whether some node runs more ranks than it has cores.
bool is_crowded(MPI_Comm comm) {
  MPI_Comm node;
  meet(comm);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int crowded = size_of(node) > static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  MPI_Comm_free(&node);
  all_reduce(comm, &crowded, 1, MPI_INT, MPI_MAX);
  return crowded;
}

/// What writing that many rows of each table can need at most: a chunk is first laid out raw, then
/// compressed.
std::int64_t max_bytes(const TableRegistry& tables, const std::vector<std::int64_t>& rows) {
  std::int64_t bytes = 1 << 20;
  for (std::size_t table = 0; table < rows.size(); ++table) {
    if (rows[table] == 0) continue;
    auto columns = static_cast<std::int64_t>(tables.schemas()[table].columns.size()) + 1;
    bytes += 2 * columns * (rows[table] / chunk_rows + 2) * chunk_rows * 8;
  }
  return bytes;
}

/// A row is as long as its component's author thinks the table is wide.
void check_row(const TableRegistry& tables, TableId table, std::size_t values, SimTime time) {
  if (table >= tables.size())
    throw SimulationError(
        time, "",
        fmt::format("records a row for table {}, but the tables are 0 to {}", table, tables.size() - 1));
  const TableSchema& schema = tables[table];
  if (values == schema.columns.size()) return;
  std::string names;
  for (const Column& column : schema.columns) names += (names.empty() ? "" : ", ") + column.name;
  throw SimulationError(time, "",
                        fmt::format("records a row of {} for the table {}, which has {} columns: {}",
                                    counted(values, "value"), schema.name, schema.columns.size(), names));
}

/// Which component a row is of.
Column component_column() {
  return {"component", ColumnType::int64, "1", "row of /model/components"};
}

void create_tables(ResultFile& file, const TableRegistry& tables) {
  file.create_group("/tables");
  for (const TableSchema& table : tables.schemas()) {
    std::string path = "/tables/" + table.name;
    file.create_group(path);
    file.set_attribute(path, "doc", table.doc);
    std::vector<std::string> order{"component"};
    file.create_column(path + "/component", component_column());
    for (const auto& column : table.columns) {
      file.create_column(path + "/" + column.name, column);
      order.push_back(column.name);
    }
    file.set_attribute(path, "columns", order);
  }
}

}  // namespace

Hdf5Recorder::Hdf5Recorder(RecorderOptions options, MPI_Comm comm, const Model& model,
                           const Partition& partition)
    : options_(std::move(options)),
      comm_(comm),
      model_(&model),
      tables_(model.tables.get()),
      partition_(&partition),
      selection_(model.resource<OutputSelection>()),
      ranks_(size_of(comm)),
      spool_(*tables_),
      collector_(model) {
  LIGHTRAIL_EXPECT(options_.interval > SimTime{0});
  MPI_Comm_rank(comm_, &rank_);
  for (const TableSchema& table : tables_->schemas()) buffers_.emplace_back(table.columns.size());
  written_.resize(buffers_.size());
  if (options_.path.empty()) return;
  is_crowded_ = is_crowded(comm_);
  if (!options_.is_resumed) create_file();
  last_write_s_ = MPI_Wtime();
}

Hdf5Recorder::~Hdf5Recorder() = default;

/// The file up to its first row; "" or what went wrong.
std::string Hdf5Recorder::write_start() {
  if (!lock_.take_file(options_.path))
    return "another run is writing it (give each its own --out; under Slurm, ranks of one run start with "
           "srun "
           "--mpi=pmi2)";
  if (options_.created_s == 0) options_.created_s = std::time(nullptr);
  ResultFile file(options_.path, ResultFile::Mode::create);
  if (file.problem().empty()) {
    write_run_start(file, options_, *model_, *partition_, ranks_);
    write_model(file, *model_);
    create_tables(file, *tables_);
    file.close();
  }
  return file.problem();
}

void Hdf5Recorder::create_file() {
  std::string problem;
  if (rank_ == 0) {
    problem = write_start();
  }
  agree(problem);
  has_file_ = true;
}

void Hdf5Recorder::append(TableId table, ComponentId component, SimTime time,
                          std::span<const std::int64_t> row) {
  check_row(*tables_, table, row.size(), time);
  collector_.add(table, row, component);
  if (options_.path.empty() || !is_asked_for(table, row)) return;
  buffers_[table].append(intervals_, component, time, row);
}

/// Some rows always come, for the summary; the file has them only where <output> asks for them.
bool Hdf5Recorder::is_asked_for(TableId table, std::span<const std::int64_t> row) const {
  if (!selection_) return true;
  if ((*tables_)[table].scope == TableScope::all_endpoints)
    return selection_->is_recorded(table, EndpointId{static_cast<std::uint32_t>(row[0])});
  return selection_->is_recorded(table);
}

void Hdf5Recorder::flush(SimTime) {
  ++intervals_;
  if (options_.path.empty()) return;
  // One reduction: how many rows wait, and whether rank 0's clock asks for a write.
  std::int64_t most = 0;
  for (const auto& buffer : buffers_) most = std::max(most, static_cast<std::int64_t>(buffer.rows()));
  bool is_late = rank_ == 0 && MPI_Wtime() - last_write_s_ >= options_.write_every_s;
  std::int64_t is_due = is_late || most >= many_rows;
  all_reduce(comm_, &is_due, 1, MPI_INT64_T, MPI_MAX);
  if (is_due) write_pending();
}

std::string Hdf5Recorder::lost_file() const {
  return lock_.is_in_place() ? "" : "it was deleted or replaced while the run was writing it";
}

void Hdf5Recorder::check() {
  if (const std::string problem = lost_file(); !problem.empty()) throw IoError(text_of(problem));
}

void Hdf5Recorder::write_pending(std::int64_t before) {
  std::vector<std::int64_t> rows;
  for (const auto& buffer : buffers_) rows.push_back(static_cast<std::int64_t>(buffer.rows_before(before)));
  all_reduce(comm_, rows.data(), rows.size(), MPI_INT64_T, MPI_SUM);
  if (*std::max_element(rows.begin(), rows.end()) == 0) return;
  agree(lost_file());
  const int writers = writers_for(*std::max_element(rows.begin(), rows.end()));
  std::unique_ptr<ColumnWriter> columns;
  if (rank_ < writers)
    columns = std::make_unique<ColumnWriter>(options_.path, writers > 1 ? comm_ : MPI_COMM_SELF);
  if (writers > 1 && rank_ == 0) columns->reserve(max_bytes(*tables_, rows));
  agree(columns ? columns->problem() : "");
  for (std::size_t table = 0; table < buffers_.size(); ++table)
    if (rows[table] > 0) write_table(table, before, writers, columns.get());
  if (columns) columns->close();
  agree(columns ? columns->problem() : "");
  last_write_s_ = MPI_Wtime();
}

void Hdf5Recorder::shorten_chunks() {
  std::vector<std::int64_t> rows;
  for (const auto& buffer : buffers_) rows.push_back(static_cast<std::int64_t>(buffer.rows()));
  all_reduce(comm_, rows.data(), rows.size(), MPI_INT64_T, MPI_SUM);
  agree(lost_file());
  std::string problem;
  if (rank_ == 0) {
    ResultFile file(options_.path, ResultFile::Mode::modify);
    for (std::size_t table = 0; table < rows.size(); ++table) {
      if (written_[table] > 0 || rows[table] == 0 || rows[table] >= chunk_rows) continue;
      const TableSchema& schema = tables_->schemas()[table];
      const std::string path = "/tables/" + schema.name + "/";
      file.replace_column(path + "component", component_column(), rows[table]);
      for (const Column& column : schema.columns)
        file.replace_column(path + column.name, column, rows[table]);
    }
    file.close();
    problem = file.problem();
  }
  agree(problem);
}

/// Ranks 0 ... writers - 1 write; a table of this write has at most `max_rows` rows.
int Hdf5Recorder::writers_for(std::int64_t max_rows) const {
  if (options_.io == RecordMode::collective) return ranks_;
  bool is_large = max_rows >= rows_worth_sharing;
  return options_.io == RecordMode::automatic && is_large && !is_crowded_ ? ranks_ : 1;
}

void Hdf5Recorder::write_table(std::size_t table, std::int64_t before, int writers, ColumnWriter* columns) {
  const TableSchema& schema = tables_->schemas()[table];
  const std::size_t width = schema.columns.size() + 1;
  std::vector<RowRun> runs;
  std::vector<std::int64_t> sorted = buffers_[table].take_sorted(runs, before);
  RowSlab mine = redistribute(comm_, writers, written_[table], width, runs, sorted);
  written_[table] = mine.total;
  if (!columns) return;
  std::vector<std::int64_t> values(static_cast<std::size_t>(mine.slab.end - mine.slab.begin));
  for (std::size_t c = 0; c < width; ++c) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = mine.values[i * width + c];
    const std::string name = c == 0 ? "component" : schema.columns[c - 1].name;
    ColumnType type = c == 0 ? ColumnType::int64 : schema.columns[c - 1].type;
    columns->write("/tables/" + schema.name + "/" + name, type, mine.total, mine.slab.begin, values);
  }
}

std::string Hdf5Recorder::text_of(const std::string& problem) const {
  return fmt::format("result file '{}': {}", options_.path, problem);
}

/// Throws on every rank when one of them has a problem; the text is the lowest such rank's.
void Hdf5Recorder::agree(const std::string& problem) {
  agree_on_text(problem.empty() ? "" : text_of(problem));
}

void Hdf5Recorder::agree_on_text(const std::string& problem) {
  int first = problem.empty() ? ranks_ : rank_;
  all_reduce(comm_, &first, 1, MPI_INT, MPI_MIN);
  if (first == ranks_) return;
  std::string text = problem;
  int length = static_cast<int>(text.size());
  broadcast(&length, 1, MPI_INT, first, comm_);
  text.resize(static_cast<std::size_t>(length));
  broadcast(text.data(), length, MPI_CHAR, first, comm_);
  throw IoError(text);
}

Summary Hdf5Recorder::finish(const RunOutcome& outcome) {
  Summary summary = make_summary(outcome, ranks_, *model_);
  collector_.reduce(comm_, *model_, summary);
  std::vector<RankedProfile> profile = gather_profile(comm_, outcome);
  if (!has_file_) return summary;
  shorten_chunks();
  write_pending();
  agree(lost_file());
  std::string problem;
  if (rank_ == 0) {
    ResultFile file(options_.path, ResultFile::Mode::modify);
    write_summary(file, summary);
    write_profile(file, profile);
    file.flush();
    try {
      if (options_.add_to_summary && outcome.status == "complete") options_.add_to_summary(file, summary);
      file.flush();
    } catch (const std::exception& failure) {
      problem = failure.what();
    }
    // The status changes last: "complete" stands only in a file whose every part is on the disk.
    if (problem.empty() && file.problem().empty()) write_run_end(file, outcome);
    file.close();
    if (problem.empty()) problem = file.problem();
  }
  agree(problem);
  return summary;
}

}  // namespace lightrail
