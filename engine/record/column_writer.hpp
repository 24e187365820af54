#pragma once
#include <mpi.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "engine/model/table_schema.hpp"
#include "engine/record/hdf5_handle.hpp"
#include "engine/record/hdf5_settings.hpp"

namespace lightrail {

/// Rows [begin, end) of a column that one writer owns.
struct Slab {
  std::int64_t begin = 0, end = 0;
};

/// Shares [begin, end) among `writers` so that no chunk is written by two of them.
[[nodiscard]] Slab slab_of(std::int64_t begin, std::int64_t end, int writer, int writers);

/// Appends rows to the columns of a result file that ResultFile made. All ranks of the communicator write
/// together (with one writer the MPI driver is not used) and pass the same arguments except their own rows.
///
/// What goes wrong first on a rank is kept in problem() and the collective calls go on, so that no other rank
/// waits for ever; the caller agrees over all ranks and throws.
class ColumnWriter {
 public:
  ColumnWriter(std::string path, MPI_Comm writers);
  ~ColumnWriter();
  ColumnWriter(const ColumnWriter&) = delete;
  ColumnWriter& operator=(const ColumnWriter&) = delete;

  /// Sets aside room for `bytes` more on the disk, so that the writes that follow do not fail half-way on one
  /// rank while the others wait in them. Not collective; call it on one rank.
  void reserve(std::int64_t bytes);
  /// Extends the column to `rows` and writes this rank's rows from `offset` on (float64 columns: bit
  /// patterns).
  void write(const std::string& column, ColumnType type, std::int64_t rows, std::int64_t offset,
             std::span<const std::int64_t> values);
  void flush();  ///< everything reaches the disk; from here on a killed run keeps it
  void close();

  [[nodiscard]] const std::string& problem() const { return problem_; }  ///< empty: none yet

 private:
  bool check(bool is_good, const std::string& doing);

  std::string path_;
  int writers_ = 1;
  Hdf5Handle file_, transfer_;
  std::map<std::string, Hdf5Handle> columns_;
  std::string problem_;
};

}  // namespace lightrail
