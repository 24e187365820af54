#include "engine/record/hdf5_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "engine/base/error.hpp"
#include "engine/record/redistribute.hpp"
#include "engine/record/write_model.hpp"
#include "engine/record/write_run.hpp"

namespace lightrail {

namespace {

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

}  // namespace

Hdf5Recorder::Hdf5Recorder(RecorderOptions options, MPI_Comm comm, const Model& model, const Partition& partition)
    : options_(std::move(options)),
      comm_(comm),
      model_(&model),
      partition_(&partition),
      selection_(model.resource<OutputSelection>()),
      ranks_(size_of(comm)),
      collector_(model.dimensions.size()) {
  LIGHTRAIL_EXPECT(options_.interval > SimTime{0});
  MPI_Comm_rank(comm_, &rank_);
  for (const auto& table : table_schemas()) buffers_.emplace_back(table.columns.size());
  written_.resize(buffers_.size());
  if (options_.path.empty()) return;

  if (options_.created_s == 0) options_.created_s = std::time(nullptr);
  MPI_Bcast(&options_.created_s, 1, MPI_INT64_T, 0, comm_);
  writers_ = options_.io == IoMode::gather ? 1 : ranks_;
  if (rank_ < writers_) file_ = std::make_unique<ResultFile>(options_.path, writers_ > 1 ? comm_ : MPI_COMM_SELF);
  throw_if_any_problem();
  if (file_) {
    write_run_start(*file_, options_, *model_, *partition_, ranks_);
    write_model(*file_, *model_);
    create_tables();
    file_->flush();
  }
  throw_if_any_problem();
  last_write_s_ = MPI_Wtime();
}

Hdf5Recorder::~Hdf5Recorder() = default;

void Hdf5Recorder::create_tables() {
  file_->create_group("/tables");
  for (const auto& table : table_schemas()) {
    std::string path = "/tables/" + table.name;
    file_->create_group(path);
    file_->set_attribute(path, "doc", table.doc);
    std::vector<std::string> order{"component"};
    first_column_.push_back(file_->create_column(
        path + "/component", {"component", ColumnType::int64, "1", "row of /model/components"}));
    for (const auto& column : table.columns) {
      file_->create_column(path + "/" + column.name, column);
      order.push_back(column.name);
    }
    file_->set_attribute(path, "columns", order);
  }
}

void Hdf5Recorder::append(TableId table, ComponentId component, SimTime time, std::span<const std::int64_t> row) {
  LIGHTRAIL_EXPECT(table < buffers_.size() && row.size() == table_schemas()[table].columns.size());
  collector_.add(table, row);
  if (writers_ == 0) return;
  // traffic and steps always come, for the summary; the file has them only where they are asked for.
  bool is_wanted = !selection_ || (table != tables::traffic && table != tables::steps) ||
                   selection_->is_recorded(table, EndpointId{static_cast<std::uint32_t>(row[0])});
  if (is_wanted) buffers_[table].append(intervals_, component, time, row);
}

void Hdf5Recorder::flush(SimTime) {
  ++intervals_;
  if (writers_ == 0) return;
  // One reduction says how many rows wait where and whether rank 0's clock asks for a write.
  std::vector<std::int64_t> rows;
  for (const auto& buffer : buffers_) rows.push_back(static_cast<std::int64_t>(buffer.rows()));
  rows.push_back(rank_ == 0 && MPI_Wtime() - last_write_s_ >= options_.write_every_s);
  MPI_Allreduce(MPI_IN_PLACE, rows.data(), static_cast<int>(rows.size()), MPI_INT64_T, MPI_SUM, comm_);
  bool is_due = rows.back() > 0;
  rows.pop_back();
  is_due = is_due || *std::max_element(rows.begin(), rows.end()) >= chunk_rows;
  if (is_due) write_pending(rows);
}

void Hdf5Recorder::write_pending(const std::vector<std::int64_t>& rows_by_table) {
  for (std::size_t table = 0; table < buffers_.size(); ++table) {
    if (rows_by_table[table] == 0) continue;
    const std::size_t width = table_schemas()[table].columns.size() + 1;
    std::vector<RowRun> runs;
    std::vector<std::int64_t> sorted = buffers_[table].take_sorted(runs);
    RowSlab mine = redistribute(comm_, writers_, written_[table], width, runs, sorted);
    written_[table] = mine.total;
    if (!file_) continue;
    std::vector<std::int64_t> column(static_cast<std::size_t>(mine.slab.end - mine.slab.begin));
    for (std::size_t c = 0; c < width; ++c) {
      for (std::size_t i = 0; i < column.size(); ++i) column[i] = mine.values[i * width + c];
      file_->write_rows(first_column_[table] + c, mine.total, mine.slab.begin, column);
    }
  }
  if (file_) file_->flush();
  throw_if_any_problem();
  last_write_s_ = MPI_Wtime();
}

void Hdf5Recorder::throw_if_any_problem() {
  std::string problem = file_ ? file_->problem() : "";
  int first = problem.empty() ? ranks_ : rank_;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm_);
  if (first == ranks_) return;
  int length = static_cast<int>(problem.size());
  MPI_Bcast(&length, 1, MPI_INT, first, comm_);
  problem.resize(static_cast<std::size_t>(length));
  MPI_Bcast(problem.data(), length, MPI_CHAR, first, comm_);
  throw IoError(fmt::format("result file '{}': {}", options_.path, problem));
}

Summary Hdf5Recorder::finish(const RunOutcome& outcome) {
  Summary summary = make_summary(outcome, ranks_, *model_);
  collector_.reduce(comm_, *model_, summary);
  if (writers_ == 0) return summary;
  std::vector<std::int64_t> rows;
  for (const auto& buffer : buffers_) rows.push_back(static_cast<std::int64_t>(buffer.rows()));
  MPI_Allreduce(MPI_IN_PLACE, rows.data(), static_cast<int>(rows.size()), MPI_INT64_T, MPI_SUM, comm_);
  write_pending(rows);
  std::vector<RankedProfile> profile = gather_profile(comm_, outcome);
  if (file_) {
    write_summary(*file_, summary);
    write_profile(*file_, profile);
    file_->flush();
  }
  throw_if_any_problem();
  // The status changes last: "complete" stands only in a file whose every part is on the disk.
  if (file_) {
    write_run_end(*file_, outcome);
    file_->close();
  }
  throw_if_any_problem();
  file_.reset();
  return summary;
}

}  // namespace lightrail
