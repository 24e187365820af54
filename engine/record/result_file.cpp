#include "engine/record/result_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/record/hdf5_reason.hpp"
#include "engine/record/hdf5_settings.hpp"

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

Hdf5Handle compressed(std::int64_t chunk) {
  Hdf5Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  auto rows = static_cast<hsize_t>(chunk);
  H5Pset_chunk(list.get(), 1, &rows);
  H5Pset_shuffle(list.get());
  H5Pset_deflate(list.get(), 1);  // level 1: 3 times faster than 6 for 5 % more bytes
  H5Pset_fill_time(list.get(), H5D_FILL_TIME_NEVER);
  // The chunk index must exist before ranks write together: HDF5 1.10.8 makes it on the first write, and only
  // on ranks that have rows, which then wait for the others.
  H5Pset_alloc_time(list.get(), H5D_ALLOC_TIME_EARLY);
  H5Pset_obj_track_times(list.get(), false);
  return list;
}

/// Why `path` cannot be replaced, or 0. Truncates nothing: a file that cannot be replaced keeps its content.
int replace_error(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return EISDIR;
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return errno;
  ::close(descriptor);
  return 0;
}

}  // namespace

ResultFile::ResultFile(const std::string& path, Mode mode) {
  prepare_hdf5();
  if (mode == Mode::create)
    if (int error = replace_error(path)) {
      problem_ = fmt::format("cannot create ({})", std::strerror(error));
      return;
    }
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.get(), false, true);
  if (mode == Mode::create)
    file_ = Hdf5Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
  else
    file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), H5Fclose);
  if (check(file_.is_valid(), mode == Mode::create ? "create" : "open")) forbid_eviction(file_.get());
}

ResultFile::~ResultFile() {
  // Closing a file that could not be written ends in a segmentation fault (HDF5 1.10.8).
  if (!problem_.empty()) file_.abandon();
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
  // Through the opened object: H5Awrite fails on what H5Aopen_by_name returns (HDF5 1.10.8).
  Hdf5Handle owner(H5Oopen(file_.get(), object.c_str(), H5P_DEFAULT), H5Oclose), attribute;
  if (H5Aexists(owner.get(), name.c_str()) > 0) {
    attribute = {H5Aopen(owner.get(), name.c_str(), H5P_DEFAULT), H5Aclose};
    Hdf5Handle old(H5Aget_type(attribute.get()), H5Tclose);
    if (H5Tequal(old.get(), type) <= 0) {
      attribute.close();
      H5Adelete(owner.get(), name.c_str());
    }
  }
  if (!attribute.is_valid())
    attribute = {H5Acreate2(owner.get(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose};
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
  Hdf5Handle type = text_type(size), space = make_space(static_cast<std::int64_t>(value.size()));
  write_attribute(object, name, type.get(), space.get(), packed.data());
}

void ResultFile::create_column(const std::string& path, const Column& column, std::int64_t rows_of_chunk) {
  hsize_t none = 0, unlimited = H5S_UNLIMITED;
  Hdf5Handle space(H5Screate_simple(1, &none, &unlimited), H5Sclose), list = compressed(rows_of_chunk);
  const hid_t type = memory_type(column.type);
  Hdf5Handle dataset(
      H5Dcreate2(file_.get(), path.c_str(), type, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
      H5Dclose);
  if (!check(dataset.is_valid(), "create " + path)) return;
  set_attribute(path, "units", column.unit);
  if (!column.doc.empty()) set_attribute(path, "doc", column.doc);
  if (!column.labels.empty()) set_attribute(path, "labels", column.labels);
  if (column.type == ColumnType::name) set_attribute(path, "refers_to", "/names");
}

void ResultFile::replace_column(const std::string& path, const Column& column, std::int64_t rows_of_chunk) {
  if (check(H5Ldelete(file_.get(), path.c_str(), H5P_DEFAULT) >= 0, "replace " + path))
    create_column(path, column, rows_of_chunk);
}

void ResultFile::write_dataset(const std::string& path, hid_t type, std::size_t rows, const void* data,
                               const std::string& unit) {
  const auto count = static_cast<std::int64_t>(rows);
  Hdf5Handle space = make_space(count), list = compressed(std::clamp<std::int64_t>(count, 1, chunk_rows));
  Hdf5Handle dataset(
      H5Dcreate2(file_.get(), path.c_str(), type, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
      H5Dclose);
  if (!check(dataset.is_valid(), "create " + path)) return;
  if (!unit.empty()) set_attribute(path, "units", unit);
  if (rows > 0)
    check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0, "write " + path);
}

void ResultFile::write_numbers(const std::string& path, const std::string& unit, std::size_t rows,
                               const std::function<std::int64_t(std::size_t)>& at) {
  std::vector<std::int64_t> values(rows);
  for (std::size_t i = 0; i < rows; ++i) values[i] = at(i);
  write_dataset(path, H5T_NATIVE_INT64, rows, values.data(), unit);
}

void ResultFile::write_reals(const std::string& path, const std::string& unit, std::size_t rows,
                             const std::function<double(std::size_t)>& at) {
  std::vector<double> values(rows);
  for (std::size_t i = 0; i < rows; ++i) values[i] = at(i);
  write_dataset(path, H5T_NATIVE_DOUBLE, rows, values.data(), unit);
}

void ResultFile::write_texts(const std::string& path, std::size_t rows,
                             const std::function<std::string(std::size_t)>& at) {
  std::size_t size = 1;
  for (std::size_t i = 0; i < rows; ++i) size = std::max(size, at(i).size());
  std::string packed(size * rows, '\0');
  for (std::size_t i = 0; i < rows; ++i) at(i).copy(&packed[size * i], size);
  Hdf5Handle type = text_type(size);
  write_dataset(path, type.get(), rows, packed.data(), "");
}

void ResultFile::flush() {
  check(H5Fflush(file_.get(), H5F_SCOPE_LOCAL) >= 0, "flush");
}

void ResultFile::close() {
  check(file_.close() >= 0, "close");
}

}  // namespace lightrail
