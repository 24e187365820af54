#include "engine/record/column_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/record/hdf5_reason.hpp"

namespace lightrail {

Slab slab_of(std::int64_t begin, std::int64_t end, int writer, int writers) {
  if (begin == end) return {begin, begin};
  std::int64_t first_chunk = begin / chunk_rows, chunks = (end + chunk_rows - 1) / chunk_rows - first_chunk;
  auto boundary = [&](std::int64_t w) {
    return std::clamp((first_chunk + chunks * w / writers) * chunk_rows, begin, end);
  };
  return {boundary(writer), boundary(writer + 1)};
}

ColumnWriter::ColumnWriter(std::string path, MPI_Comm writers) : path_(std::move(path)) {
  MPI_Comm_size(writers, &writers_);
  prepare_hdf5();
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  transfer_ = Hdf5Handle(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  if (writers_ > 1) {
    H5Pset_fapl_mpio(access.get(), writers, MPI_INFO_NULL);
    H5Pset_coll_metadata_write(access.get(), true);
    // Collective metadata reads stay off: a writer without rows looks up no chunk, and the others wait
    // (1.10.8).
    H5Pset_dxpl_mpio(transfer_.get(), H5FD_MPIO_COLLECTIVE);
  } else {
    H5Pset_file_locking(access.get(), false, true);  // a running simulation's file can be read
  }
  file_ = Hdf5Handle(H5Fopen(path_.c_str(), H5F_ACC_RDWR, access.get()), H5Fclose);
  if (check(file_.is_valid(), "open")) forbid_eviction(file_.get());
}

ColumnWriter::~ColumnWriter() {
  if (writers_ == 1 && problem_.empty()) return;
  // Closing is collective and the other ranks may be gone; closing a file that could not be written ends in a
  // segmentation fault (HDF5 1.10.8). What was flushed is on the disk.
  for (auto& [path, column] : columns_) column.abandon();
  file_.abandon();
}

bool ColumnWriter::check(bool is_good, const std::string& doing) {
  if (!is_good && problem_.empty()) problem_ = fmt::format("cannot {} ({})", doing, hdf5_reason());
  return is_good;
}

void ColumnWriter::reserve(std::int64_t bytes) {
  int descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  struct stat status {};
  int error = descriptor < 0 || ::fstat(descriptor, &status) < 0 ? errno : 0;
  // The next flush cuts the file to its content again. Some file systems cannot reserve.
  if (!error && ::fallocate(descriptor, 0, status.st_size, bytes) < 0 && errno != EOPNOTSUPP) error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (error && problem_.empty())
    problem_ = fmt::format("cannot reserve {} bytes ({})", bytes, std::strerror(error));
}

void ColumnWriter::write(const std::string& column, ColumnType type, std::int64_t rows, std::int64_t offset,
                         std::span<const std::int64_t> values) {
  Hdf5Handle& dataset = columns_[column];
  if (!dataset.is_valid()) dataset = {H5Dopen2(file_.get(), column.c_str(), H5P_DEFAULT), H5Dclose};
  auto extent = static_cast<hsize_t>(rows);
  check(dataset.is_valid() && H5Dset_extent(dataset.get(), &extent) >= 0, "extend " + column);
  Hdf5Handle in_file(H5Dget_space(dataset.get()), H5Sclose);
  Hdf5Handle in_memory = select_rows(in_file.get(), offset, static_cast<std::int64_t>(values.size()));
  check(H5Dwrite(dataset.get(), memory_type(type), in_memory.get(), in_file.get(), transfer_.get(),
                 values.data()) >= 0,
        "write " + column);
}

void ColumnWriter::flush() {
  check(H5Fflush(file_.get(), H5F_SCOPE_LOCAL) >= 0, "flush");
}

void ColumnWriter::close() {
  flush();
  if (writers_ == 1 && !problem_.empty()) return;
  bool is_good = true;
  for (auto& [path, column] : columns_) is_good = column.close() >= 0 && is_good;
  columns_.clear();
  check(file_.close() >= 0 && is_good, "close");
}

}  // namespace lightrail
