#include "engine/record/result_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/record/hdf5_reason.hpp"

namespace lightrail {

namespace {

// Strings are padded to a multiple of this, so that @status changes in place.
constexpr std::size_t text_step = 16;

Hdf5Handle text_type(std::size_t size) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), std::max<std::size_t>(size, 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

Hdf5Handle padded_type(std::size_t size) {
  return text_type((size + text_step) / text_step * text_step);
}

Hdf5Handle space_of(hsize_t rows) { return {H5Screate_simple(1, &rows, nullptr), H5Sclose}; }

Hdf5Handle compressed(hsize_t chunk) {
  Hdf5Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(list.get(), 1, &chunk);
  H5Pset_shuffle(list.get());
  H5Pset_deflate(list.get(), 1);  // level 1: 3 times faster than 6 for 5 % more bytes
  H5Pset_fill_time(list.get(), H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(list.get(), false);
  return list;
}

/// Only flush() writes metadata, so the file on the disk stays as the last flush left it.
void forbid_eviction(hid_t file) {
  H5AC_cache_config_t config{};
  config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  H5Fget_mdc_config(file, &config);
  config.evictions_enabled = false;
  config.incr_mode = H5C_incr__off;
  config.flash_incr_mode = H5C_flash_incr__off;
  config.decr_mode = H5C_decr__off;
  H5Fset_mdc_config(file, &config);
}

}  // namespace

Slab slab_of(std::int64_t begin, std::int64_t end, int writer, int writers) {
  if (begin == end) return {begin, begin};
  std::int64_t first_chunk = begin / chunk_rows, chunks = (end + chunk_rows - 1) / chunk_rows - first_chunk;
  auto boundary = [&](std::int64_t w) {
    return std::clamp((first_chunk + chunks * w / writers) * chunk_rows, begin, end);
  };
  return {boundary(writer), boundary(writer + 1)};
}

ResultFile::ResultFile(std::string path, MPI_Comm writers) : path_(std::move(path)) {
  MPI_Comm_rank(writers, &writer_);
  MPI_Comm_size(writers, &writers_);
  // Closing is ours: HDF5 must not touch MPI when a process ends early.
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  if (!is_replaceable(writers)) return;
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  transfer_ = Hdf5Handle(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  if (writers_ > 1) {
    H5Pset_fapl_mpio(access.get(), writers, MPI_INFO_NULL);
    H5Pset_coll_metadata_write(access.get(), true);
    H5Pset_all_coll_metadata_ops(access.get(), true);
    H5Pset_dxpl_mpio(transfer_.get(), H5FD_MPIO_COLLECTIVE);
  } else {
    H5Pset_file_locking(access.get(), false, true);  // a running simulation's file can be read
  }
  file_ = Hdf5Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
  if (check(file_.is_valid(), "create")) forbid_eviction(file_.get());
}

ResultFile::~ResultFile() {
  if (writers_ == 1 || !file_.is_valid()) return;
  // Closing is collective and the other ranks may be gone; what was flushed is on the disk.
  for (auto& column : columns_) column.dataset.abandon();
  file_.abandon();
}

bool ResultFile::is_replaceable(MPI_Comm writers) {
  // O_TRUNC only later: a file that cannot be replaced keeps its content. One rank answers for all.
  int problem = 0;
  if (writer_ == 0) {
    struct stat status {};
    if (::stat(path_.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      problem = EISDIR;
    } else if (int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666); descriptor < 0) {
      problem = errno;
    } else {
      ::close(descriptor);
    }
  }
  MPI_Bcast(&problem, 1, MPI_INT, 0, writers);
  if (problem) problem_ = fmt::format("cannot create ({})", std::strerror(problem));
  return problem_.empty();
}

bool ResultFile::check(bool is_good, const std::string& doing) {
  if (!is_good && problem_.empty()) problem_ = fmt::format("cannot {} ({})", doing, hdf5_reason());
  return is_good;
}

void ResultFile::create_group(const std::string& path) {
  Hdf5Handle group(H5Gcreate2(file_.get(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  check(group.is_valid(), "create group " + path);
}

void ResultFile::write_attribute(const std::string& object, const std::string& name, hid_t type, hid_t space,
                                 const void* data) {
  const char* at = object.c_str();
  Hdf5Handle attribute;
  if (H5Aexists_by_name(file_.get(), at, name.c_str(), H5P_DEFAULT) > 0) {
    attribute = {H5Aopen_by_name(file_.get(), at, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose};
    Hdf5Handle old(H5Aget_type(attribute.get()), H5Tclose);
    if (H5Tequal(old.get(), type) <= 0) {
      attribute.close();
      H5Adelete_by_name(file_.get(), at, name.c_str(), H5P_DEFAULT);
    }
  }
  if (!attribute.is_valid())
    attribute = {H5Acreate_by_name(file_.get(), at, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                 H5Aclose};
  check(attribute.is_valid() && H5Awrite(attribute.get(), type, data) >= 0,
        fmt::format("write attribute {}@{}", object, name));
}

void ResultFile::set_attribute(const std::string& object, const std::string& name, const std::string& value) {
  Hdf5Handle type = padded_type(value.size()), space(H5Screate(H5S_SCALAR), H5Sclose);
  std::string padded = value;
  padded.resize(H5Tget_size(type.get()));
  write_attribute(object, name, type.get(), space.get(), padded.data());
}
void ResultFile::set_attribute(const std::string& object, const std::string& name, const char* value) {
  set_attribute(object, name, std::string(value));
}
void ResultFile::set_attribute(const std::string& object, const std::string& name, std::int64_t value) {
  Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  write_attribute(object, name, H5T_NATIVE_INT64, space.get(), &value);
}
void ResultFile::set_attribute(const std::string& object, const std::string& name, double value) {
  Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  write_attribute(object, name, H5T_NATIVE_DOUBLE, space.get(), &value);
}
void ResultFile::set_attribute(const std::string& object, const std::string& name,
                               const std::vector<std::string>& value) {
  std::size_t size = 1;
  for (const auto& text : value) size = std::max(size, text.size());
  std::string packed(size * value.size(), '\0');
  for (std::size_t i = 0; i < value.size(); ++i) value[i].copy(&packed[i * size], size);
  Hdf5Handle type = text_type(size), space = space_of(value.size());
  write_attribute(object, name, type.get(), space.get(), packed.data());
}

ResultFile::ColumnIndex ResultFile::create_column(const std::string& path, const Column& column) {
  hsize_t none = 0, unlimited = H5S_UNLIMITED;
  Hdf5Handle space(H5Screate_simple(1, &none, &unlimited), H5Sclose), list = compressed(chunk_rows);
  hid_t type = column.type == ColumnType::float64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
  columns_.push_back({{H5Dcreate2(file_.get(), path.c_str(), type, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
                       H5Dclose},
                      column.type});
  if (!check(columns_.back().dataset.is_valid(), "create column " + path)) return columns_.size() - 1;
  set_attribute(path, "units", column.unit);
  if (!column.doc.empty()) set_attribute(path, "doc", column.doc);
  if (!column.labels.empty()) set_attribute(path, "labels", column.labels);
  if (column.type == ColumnType::name) set_attribute(path, "refers_to", "/names");
  return columns_.size() - 1;
}

void ResultFile::write_rows(ColumnIndex column, std::int64_t rows, std::int64_t offset,
                            std::span<const std::int64_t> values) {
  const OpenColumn& open = columns_[column];
  hsize_t extent = static_cast<hsize_t>(rows), first = static_cast<hsize_t>(offset), count = values.size();
  check(H5Dset_extent(open.dataset.get(), &extent) >= 0, "extend a column");
  Hdf5Handle in_file(H5Dget_space(open.dataset.get()), H5Sclose), in_memory = space_of(std::max<hsize_t>(count, 1));
  if (count == 0) {
    H5Sselect_none(in_file.get());
    H5Sselect_none(in_memory.get());
  } else {
    H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, &first, nullptr, &count, nullptr);
  }
  hid_t type = open.type == ColumnType::float64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
  check(H5Dwrite(open.dataset.get(), type, in_memory.get(), in_file.get(), transfer_.get(), values.data()) >= 0,
        "write rows");
}

void ResultFile::write_dataset(const std::string& path, hid_t type, std::int64_t rows, Slab mine, const void* data,
                               const std::string& unit) {
  Hdf5Handle space = space_of(static_cast<hsize_t>(rows));
  Hdf5Handle list = compressed(static_cast<hsize_t>(std::clamp<std::int64_t>(rows, 1, chunk_rows)));
  Hdf5Handle dataset(
      H5Dcreate2(file_.get(), path.c_str(), type, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT), H5Dclose);
  if (!check(dataset.is_valid(), "create " + path)) return;
  if (!unit.empty()) set_attribute(path, "units", unit);
  if (rows == 0) return;
  hsize_t first = static_cast<hsize_t>(mine.begin), count = static_cast<hsize_t>(mine.end - mine.begin);
  Hdf5Handle in_memory = space_of(std::max<hsize_t>(count, 1));
  if (count == 0) {
    H5Sselect_none(space.get());
    H5Sselect_none(in_memory.get());
  } else {
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &first, nullptr, &count, nullptr);
  }
  check(H5Dwrite(dataset.get(), type, in_memory.get(), space.get(), transfer_.get(), data) >= 0, "write " + path);
}

void ResultFile::write_numbers(const std::string& path, const std::string& unit, std::int64_t rows,
                               const std::function<std::int64_t(std::int64_t)>& at) {
  Slab mine = slab_of(0, rows, writer_, writers_);
  std::vector<std::int64_t> values;
  for (std::int64_t i = mine.begin; i < mine.end; ++i) values.push_back(at(i));
  write_dataset(path, H5T_NATIVE_INT64, rows, mine, values.data(), unit);
}

void ResultFile::write_reals(const std::string& path, const std::string& unit, std::int64_t rows,
                             const std::function<double(std::int64_t)>& at) {
  Slab mine = slab_of(0, rows, writer_, writers_);
  std::vector<double> values;
  for (std::int64_t i = mine.begin; i < mine.end; ++i) values.push_back(at(i));
  write_dataset(path, H5T_NATIVE_DOUBLE, rows, mine, values.data(), unit);
}

void ResultFile::write_texts(const std::string& path, std::int64_t rows,
                             const std::function<std::string(std::int64_t)>& at) {
  std::size_t size = 1;
  for (std::int64_t i = 0; i < rows; ++i) size = std::max(size, at(i).size());
  Slab mine = slab_of(0, rows, writer_, writers_);
  std::string packed(size * static_cast<std::size_t>(mine.end - mine.begin), '\0');
  for (std::int64_t i = mine.begin; i < mine.end; ++i)
    at(i).copy(&packed[size * static_cast<std::size_t>(i - mine.begin)], size);
  Hdf5Handle type = text_type(size);
  write_dataset(path, type.get(), rows, mine, packed.data(), "");
}

void ResultFile::write_text(const std::string& path, const std::string& text) {
  write_texts(path, 1, [&](std::int64_t) { return text; });
}

void ResultFile::flush() { check(H5Fflush(file_.get(), H5F_SCOPE_LOCAL) >= 0, "flush"); }

void ResultFile::close() {
  bool is_good = true;
  for (auto& column : columns_) is_good = column.dataset.close() >= 0 && is_good;
  columns_.clear();
  check(file_.close() >= 0 && is_good, "close");
}

}  // namespace lightrail
