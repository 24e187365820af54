#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/record/hdf5_recorder.hpp"

namespace lightrail {
namespace {

/// What the step has to say against going on: for agree().
template <class Step>
std::string problem_of(bool is_mine, Step&& step) {
  if (is_mine) try {
      step();
    } catch (const IoError& e) {
      return e.what();
    }
  return "";
}

}  // namespace

void Hdf5Recorder::save(StateWriter& run, const std::string& folder) {
  if (!options_.path.empty()) write_pending(intervals_);
  agree_on_text(problem_of(rank_ == 0 && !options_.path.empty(), [&] {
    if (folder != spool_folder_) spool_ = RowSpool(*tables_);
    spool_folder_ = folder;
    spool_.take(folder, options_.path, written_);
  }));
  run.put(intervals_);
  run.put(spool_.extents());
  collector_.merged(comm_).save(run);

  open_rows_.clear();
  for (std::size_t table = 0; table < buffers_.size(); ++table)
    for (std::size_t row = 0; row < buffers_[table].rows(); ++row)
      open_rows_.push_back({buffers_[table].component(row).value, static_cast<TableId>(table), row});
  std::sort(open_rows_.begin(), open_rows_.end());
}

void Hdf5Recorder::save_rows(ComponentId component, StateWriter& out) {
  const auto first = std::lower_bound(open_rows_.begin(), open_rows_.end(), OpenRow{component.value, 0, 0});
  const auto last = std::lower_bound(first, open_rows_.end(), OpenRow{component.value + 1, 0, 0});
  out.put(static_cast<std::uint64_t>(last - first));
  for (auto row = first; row != last; ++row) {
    out.put(row->table);
    buffers_[row->table].save(row->row, out);
  }
}

void Hdf5Recorder::load(StateReader& run, const std::string& folder) {
  std::vector<RowSpool::Extent> extents;
  run.get(intervals_);
  run.get(extents);
  collector_.load(run);
  if (rank_ != 0) collector_ = SummaryCollector(*model_);  // rank 0 stands for all
  if (options_.path.empty()) return;
  LIGHTRAIL_EXPECT(extents.size() == buffers_.size());
  // Before the old result file is touched.
  agree_on_text(problem_of(rank_ == 0, [&] { spool_.check(folder, extents); }));
  create_file();
  agree_on_text(problem_of(rank_ == 0, [&] {
    ColumnWriter columns(options_.path, MPI_COMM_SELF);
    spool_.restore(folder, extents, columns);
    columns.close();
    if (!columns.problem().empty())
      throw IoError(fmt::format("result file '{}': {}", options_.path, columns.problem()));
  }));
  for (std::size_t table = 0; table < extents.size(); ++table) written_[table] = extents[table].rows;
  spool_.resume(std::move(extents));
  spool_folder_ = folder;
}

void Hdf5Recorder::load_rows(ComponentId component, StateReader& in) {
  std::uint64_t count = 0;
  in.get(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    TableId table = 0;
    in.get(table);
    LIGHTRAIL_EXPECT(table < buffers_.size());
    buffers_[table].load(intervals_, component, in);
  }
}

}  // namespace lightrail
