#include "engine/record/row_spool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <span>

#include "engine/base/error.hpp"
#include "engine/base/hash.hpp"
#include "engine/checkpoint/checkpoint_folder.hpp"
#include "engine/record/column_writer.hpp"
#include "engine/record/hdf5_reason.hpp"

namespace lightrail {
namespace {

/// One table's file.
class SpoolFile {
 public:
  SpoolFile(const std::string& folder, const TableSchema& table, int mode)
      : path_(spool_path(folder, table.name)),
        width_(table.columns.size() + 1),
        descriptor_(::open(path_.c_str(), mode | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) fail("open", std::strerror(errno));
  }
  ~SpoolFile() { ::close(descriptor_); }
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  void write(std::int64_t row, std::span<const std::int64_t> values) {
    move("write", row, values.size() * 8, [&](std::size_t done, std::size_t left, off_t at) {
      return ::pwrite(descriptor_, reinterpret_cast<const char*>(values.data()) + done, left, at);
    });
  }
  std::vector<std::int64_t> read(std::int64_t row, std::int64_t rows) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(rows) * width_);
    move("read", row, values.size() * 8, [&](std::size_t done, std::size_t left, off_t at) {
      return ::pread(descriptor_, reinterpret_cast<char*>(values.data()) + done, left, at);
    });
    return values;
  }
  void sync() {
    if (::fsync(descriptor_) != 0) fail("write", std::strerror(errno));
  }
  [[noreturn]] void fail(const char* doing, const std::string& why) const {
    throw IoError(fmt::format("cannot {} the rows of checkpoints in '{}' ({})", doing, path_, why));
  }

 private:
  template <class Call>
  void move(const char* doing, std::int64_t row, std::size_t size, Call&& call) {
    const auto start = static_cast<off_t>(static_cast<std::size_t>(row) * width_ * 8);
    for (std::size_t done = 0; done < size;) {
      const ssize_t moved = call(done, size - done, start + static_cast<off_t>(done));
      if (moved < 0 && errno == EINTR) continue;
      if (moved < 0) fail(doing, std::strerror(errno));
      if (moved == 0) fail(doing, "damaged: the file ends early");
      done += static_cast<std::size_t>(moved);
    }
  }

  std::string path_;
  std::size_t width_;
  int descriptor_;
};

/// Sum over rows [first, ...) of a hash of place and content.
std::uint64_t rows_hash(std::int64_t first, std::size_t width, std::span<const std::int64_t> values) {
  std::uint64_t sum = 0;
  for (; !values.empty(); values = values.subspan(width))
    sum += hash_combine(static_cast<std::uint64_t>(first++), checksum(std::as_bytes(values.first(width))));
  return sum;
}

/// visit(first row, rows) in pieces of a chunk.
void for_each_piece(std::int64_t from, std::int64_t to,
                    const std::function<void(std::int64_t, std::int64_t)>& visit) {
  for (std::int64_t next = 0; from < to; from = next) {
    next = std::min(to, (from / chunk_rows + 1) * chunk_rows);
    visit(from, next - from);
  }
}

std::string column_path(const TableSchema& table, std::size_t column) {
  return "/tables/" + table.name + "/" + (column == 0 ? "component" : table.columns[column - 1].name);
}
ColumnType column_type(const TableSchema& table, std::size_t column) {
  return column == 0 ? ColumnType::int64 : table.columns[column - 1].type;
}

/// Rows of one table of a result file, row-major.
class TableReader {
 public:
  TableReader(hid_t file, const TableSchema& table, const std::string& path) : table_(table), path_(path) {
    for (std::size_t c = 0; c <= table.columns.size(); ++c)
      columns_.emplace_back(H5Dopen2(file, column_path(table, c).c_str(), H5P_DEFAULT), H5Dclose);
  }
  std::vector<std::int64_t> read(std::int64_t first, std::int64_t rows) {
    const auto count = static_cast<std::size_t>(rows);
    std::vector<std::int64_t> values(count * columns_.size()), column(count);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      Hdf5Handle in_file(H5Dget_space(columns_[c].get()), H5Sclose);
      Hdf5Handle in_memory = select_rows(in_file.get(), first, rows);
      const hid_t type = memory_type(column_type(table_, c));
      if (H5Dread(columns_[c].get(), type, in_memory.get(), in_file.get(), H5P_DEFAULT, column.data()) < 0)
        throw IoError(fmt::format("result file '{}': cannot read {} ({})", path_, column_path(table_, c),
                                  hdf5_reason()));
      for (std::size_t i = 0; i < count; ++i) values[i * columns_.size() + c] = column[i];
    }
    return values;
  }

 private:
  const TableSchema& table_;
  std::string path_;
  std::vector<Hdf5Handle> columns_;
};

}  // namespace

void RowSpool::take(const std::string& folder, const std::string& result_file,
                    const std::vector<std::int64_t>& rows) {
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.get(), false, true);
  Hdf5Handle file(H5Fopen(result_file.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!file.is_valid())
    throw IoError(fmt::format("result file '{}': cannot open ({})", result_file, hdf5_reason()));
  for (std::size_t t = 0; t < extents_.size(); ++t) {
    Extent& extent = extents_[t];
    if (rows[t] == extent.rows) continue;
    const TableSchema& table = (*tables_)[static_cast<TableId>(t)];
    TableReader reader(file.get(), table, result_file);
    SpoolFile spool(folder, table, O_RDWR | O_CREAT);
    for_each_piece(extent.rows, rows[t], [&](std::int64_t first, std::int64_t count) {
      const std::vector<std::int64_t> values = reader.read(first, count);
      spool.write(first, values);
      extent.checksum += rows_hash(first, table.columns.size() + 1, values);
    });
    spool.sync();
    extent.rows = rows[t];
  }
}

void RowSpool::check(const std::string& folder, const std::vector<Extent>& extents) const {
  for (std::size_t t = 0; t < extents.size(); ++t) {
    if (extents[t].rows == 0) continue;
    const TableSchema& table = (*tables_)[static_cast<TableId>(t)];
    SpoolFile spool(folder, table, O_RDONLY);
    std::uint64_t sum = 0;
    for_each_piece(0, extents[t].rows, [&](std::int64_t first, std::int64_t count) {
      sum += rows_hash(first, table.columns.size() + 1, spool.read(first, count));
    });
    if (sum != extents[t].checksum) spool.fail("read", "damaged: they do not match their checksum");
  }
}

void RowSpool::restore(const std::string& folder, const std::vector<Extent>& extents,
                       ColumnWriter& columns) const {
  for (std::size_t t = 0; t < extents.size(); ++t) {
    if (extents[t].rows == 0) continue;
    const TableSchema& table = (*tables_)[static_cast<TableId>(t)];
    const std::size_t width = table.columns.size() + 1;
    SpoolFile spool(folder, table, O_RDONLY);
    for_each_piece(0, extents[t].rows, [&](std::int64_t first, std::int64_t count) {
      const std::vector<std::int64_t> values = spool.read(first, count);
      std::vector<std::int64_t> column(static_cast<std::size_t>(count));
      for (std::size_t c = 0; c < width; ++c) {
        for (std::size_t i = 0; i < column.size(); ++i) column[i] = values[i * width + c];
        columns.write(column_path(table, c), column_type(table, c), first + count, first, column);
      }
    });
  }
}

}  // namespace lightrail
