#pragma once
#include <mpi.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/tables.hpp"
#include "engine/record/hdf5_handle.hpp"

namespace lightrail {

/// Rows [begin, end) of a dataset that one writer owns.
struct Slab {
  std::int64_t begin = 0, end = 0;
};

/// Rows of a chunk, of every dataset of the output.
inline constexpr std::int64_t chunk_rows = 65'536;

/// Shares [begin, end) among `writers` so that no chunk is written by two of them.
Slab slab_of(std::int64_t begin, std::int64_t end, int writer, int writers);

/// One HDF5 file, written by all ranks of a communicator together; with one writer the MPI driver is not used.
/// Every function is collective over the writers, who pass the same arguments except their own rows.
///
/// The first thing that goes wrong on a rank is kept in problem() and the collective calls go on, so that no other
/// rank waits for ever; the caller agrees over all ranks and throws. Nothing is evicted from the metadata cache
/// between flushes, so a process that is killed leaves the file as the last flush left it.
class ResultFile {
 public:
  /// Replaces an existing file, after making sure that it can be written.
  ResultFile(std::string path, MPI_Comm writers);
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  using ColumnIndex = std::size_t;
  void create_group(const std::string& path);

  /// Attributes of a group or dataset that exists; a second call with the same name replaces the value.
  void set_attribute(const std::string& object, const std::string& name, const std::string& value);
  void set_attribute(const std::string& object, const std::string& name, const char* value);
  void set_attribute(const std::string& object, const std::string& name, std::int64_t value);
  void set_attribute(const std::string& object, const std::string& name, double value);
  void set_attribute(const std::string& object, const std::string& name, const std::vector<std::string>& value);

  /// An extendible column of 8-byte values, empty at first.
  ColumnIndex create_column(const std::string& path, const Column& column);
  /// Extends the column to `rows` and writes this rank's rows from `offset` on (float64 columns: bit patterns).
  void write_rows(ColumnIndex column, std::int64_t rows, std::int64_t offset, std::span<const std::int64_t> values);

  /// A whole dataset of `rows` values; `at` gives row i and is asked only for this rank's share.
  void write_numbers(const std::string& path, const std::string& unit, std::int64_t rows,
                     const std::function<std::int64_t(std::int64_t)>& at);
  void write_reals(const std::string& path, const std::string& unit, std::int64_t rows,
                   const std::function<double(std::int64_t)>& at);
  /// Fixed-length text, as long as the longest (variable length fails in parallel HDF5 1.10).
  void write_texts(const std::string& path, std::int64_t rows,
                   const std::function<std::string(std::int64_t)>& at);
  /// One long text as a scalar dataset.
  void write_text(const std::string& path, const std::string& text);

  void flush();  ///< everything reaches the disk; from here on a killed run keeps it
  void close();

  const std::string& problem() const { return problem_; }  ///< empty: none yet
  int writer() const { return writer_; }
  int writers() const { return writers_; }

 private:
  struct OpenColumn {
    Hdf5Handle dataset;
    ColumnType type;
  };
  bool check(bool is_good, const std::string& doing);
  bool is_replaceable(MPI_Comm writers);
  void write_attribute(const std::string& object, const std::string& name, hid_t type, hid_t space, const void* data);
  void write_dataset(const std::string& path, hid_t type, std::int64_t rows, Slab mine, const void* data,
                     const std::string& unit);

  std::string path_;
  int writer_ = 0, writers_ = 1;
  Hdf5Handle file_, transfer_;
  std::vector<OpenColumn> columns_;
  std::string problem_;
};

}  // namespace lightrail
