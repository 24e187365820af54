#include "workloads/trace/trace_columns.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "engine/base/error.hpp"

namespace lightrail {

namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));
constexpr hsize_t chunk_rows = 65'536;
constexpr std::size_t max_rows = std::size_t{1} << 32;

/// Closes an identifier with its function.
class Handle {
 public:
  Handle(hid_t id, herr_t (*closer)(hid_t)) : id_(id), closer_(closer) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) closer_(id_);
  }
  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool is_good() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*closer_)(hid_t);
};

/// Keeps HDF5 from printing its error stack while we look ourselves.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

herr_t innermost(unsigned, const H5E_error2_t* error, void* data) {
  auto& text = *static_cast<std::string*>(data);
  if (text.empty() && error->desc) text = error->desc;
  return 0;
}

std::string reason() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &text);
  H5Eclear2(H5E_DEFAULT);
  return text.empty() ? "unknown HDF5 error" : text;
}

}  // namespace

TraceWriter::TraceWriter(const std::string& path) : path_(path) {
  Quiet quiet;
  file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file_ < 0) throw IoError(fmt::format("{}: cannot write trace ({})", path, reason()));
}

TraceWriter::~TraceWriter() {
  for (Column& column : columns_)
    if (column.dataset >= 0) H5Dclose(column.dataset);
  if (file_ >= 0) H5Fclose(file_);
}

void TraceWriter::close() {
  Quiet quiet;
  for (Column& column : columns_) {
    flush(column);
    H5Dclose(std::exchange(column.dataset, -1));
  }
  if (file_ >= 0 && H5Fclose(std::exchange(file_, -1)) < 0)
    throw IoError(fmt::format("{}: cannot write trace ({})", path_, reason()));
}

void TraceWriter::group(const std::string& path) {
  Quiet quiet;
  Handle made(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (!made.is_good()) throw IoError(fmt::format("{}: cannot write {} ({})", path_, path, reason()));
}

void TraceWriter::attribute(const std::string& name, const std::string& value) {
  Quiet quiet;
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  H5Tset_size(type.get(), std::max<std::size_t>(1, value.size()));
  Handle made(H5Acreate2(file_, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  std::string padded = value.empty() ? std::string(1, '\0') : value;
  if (!made.is_good() || H5Awrite(made.get(), type.get(), padded.data()) < 0)
    throw IoError(fmt::format("{}: cannot write @{} ({})", path_, name, reason()));
}

void TraceWriter::attribute(const std::string& name, std::int64_t value) {
  Quiet quiet;
  Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  Handle made(H5Acreate2(file_, name.c_str(), H5T_STD_I64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
              H5Aclose);
  if (!made.is_good() || H5Awrite(made.get(), H5T_NATIVE_INT64, &value) < 0)
    throw IoError(fmt::format("{}: cannot write @{} ({})", path_, name, reason()));
}

void TraceWriter::write(const std::string& path, std::int64_t type, std::size_t rows, const void* data,
                        const std::string& unit) {
  Quiet quiet;
  hsize_t size = rows, chunk = std::clamp<hsize_t>(size, 1, chunk_rows);
  Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose),
      made_with(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (rows > 0) {
    H5Pset_chunk(made_with.get(), 1, &chunk);
    H5Pset_shuffle(made_with.get());
    H5Pset_deflate(made_with.get(), 4);
  }
  H5Pset_obj_track_times(made_with.get(), false);
  Handle made(H5Dcreate2(file_, path.c_str(), type, space.get(), H5P_DEFAULT, made_with.get(), H5P_DEFAULT),
              H5Dclose);
  if (!made.is_good() || (rows > 0 && H5Dwrite(made.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0))
    throw IoError(fmt::format("{}: cannot write {} ({})", path_, path, reason()));
  if (!unit.empty()) units(made.get(), path, unit);
}

void TraceWriter::units(std::int64_t dataset, const std::string& path, const std::string& unit) {
  Handle text(H5Tcopy(H5T_C_S1), H5Tclose), scalar(H5Screate(H5S_SCALAR), H5Sclose);
  H5Tset_size(text.get(), unit.size());
  Handle made(H5Acreate2(dataset, "units", text.get(), scalar.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!made.is_good() || H5Awrite(made.get(), text.get(), unit.data()) < 0)
    throw IoError(fmt::format("{}: cannot write {}@units ({})", path_, path, reason()));
}

std::size_t TraceWriter::column(const std::string& path, const std::string& unit) {
  Quiet quiet;
  hsize_t none = 0, unlimited = H5S_UNLIMITED;
  Handle space(H5Screate_simple(1, &none, &unlimited), H5Sclose),
      made_with(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(made_with.get(), 1, &chunk_rows);
  H5Pset_shuffle(made_with.get());
  H5Pset_deflate(made_with.get(), 1);
  H5Pset_obj_track_times(made_with.get(), false);
  hid_t made =
      H5Dcreate2(file_, path.c_str(), H5T_STD_I64LE, space.get(), H5P_DEFAULT, made_with.get(), H5P_DEFAULT);
  if (made < 0) throw IoError(fmt::format("{}: cannot write {} ({})", path_, path, reason()));
  columns_.push_back({path, made, 0, {}});
  units(made, path, unit);
  return columns_.size() - 1;
}

void TraceWriter::drop_last(std::size_t index, std::size_t rows) {
  Column& column = columns_[index];
  const std::size_t held = std::min(rows, column.held.size());
  column.held.resize(column.held.size() - held);
  if (held == rows) return;
  Quiet quiet;
  hsize_t left = column.rows - (rows - held);
  if (H5Dset_extent(column.dataset, &left) < 0)
    throw IoError(fmt::format("{}: cannot write {} ({})", path_, column.path, reason()));
  column.rows = left;
}

void TraceWriter::flush(Column& column) {
  if (column.held.empty()) return;
  Quiet quiet;
  hsize_t first = column.rows, count = column.held.size(), rows = first + count;
  bool is_good = H5Dset_extent(column.dataset, &rows) >= 0;
  Handle file_space(H5Dget_space(column.dataset), H5Sclose),
      memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
  is_good = is_good &&
            H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, &first, nullptr, &count, nullptr) >= 0 &&
            H5Dwrite(column.dataset, H5T_NATIVE_INT64, memory.get(), file_space.get(), H5P_DEFAULT,
                     column.held.data()) >= 0;
  if (!is_good) throw IoError(fmt::format("{}: cannot write {} ({})", path_, column.path, reason()));
  column.rows = rows;
  column.held.clear();
}

void TraceWriter::numbers(const std::string& path, const std::vector<std::int64_t>& values,
                          const std::string& unit) {
  write(path, H5T_STD_I64LE, values.size(), values.data(), unit);
}

void TraceWriter::reals(const std::string& path, const std::vector<double>& values, const std::string& unit) {
  write(path, H5T_IEEE_F64LE, values.size(), values.data(), unit);
}

void TraceWriter::texts(const std::string& path, const std::vector<std::string>& values) {
  std::size_t width = 1;
  for (const auto& text : values) width = std::max(width, text.size());
  std::string flat;
  for (const auto& text : values) flat += text + std::string(width - text.size(), '\0');
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), width);
  write(path, type.get(), values.size(), flat.data(), "");
}

TraceReader::TraceReader(const std::string& path) : path_(path) {
  Quiet quiet;
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) fail("cannot read trace (no such file)");
  file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file_ < 0) fail(fmt::format("cannot read trace as HDF5 ({})", reason()));
}

TraceReader::~TraceReader() {
  if (file_ >= 0) H5Fclose(file_);
}

void TraceReader::fail(const std::string& what) const {
  throw InputErrors(InputError{path_, 0, what});
}

std::string TraceReader::text_attribute(const std::string& name) const {
  Quiet quiet;
  Handle found(H5Aopen(file_, name.c_str(), H5P_DEFAULT), H5Aclose);
  if (!found.is_good()) return "";
  Handle type(H5Aget_type(found.get()), H5Tclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0) return "";
  std::string text(H5Tget_size(type.get()), '\0');
  if (text.size() > 4096 || H5Aread(found.get(), type.get(), text.data()) < 0) return "";
  return text.c_str();
}

std::int64_t TraceReader::number_attribute(const std::string& name) const {
  Quiet quiet;
  Handle found(H5Aopen(file_, name.c_str(), H5P_DEFAULT), H5Aclose);
  std::int64_t value = 0;
  if (!found.is_good() || H5Aread(found.get(), H5T_NATIVE_INT64, &value) < 0)
    fail(fmt::format("lacks the attribute @{}", name));
  return value;
}

bool TraceReader::has(const std::string& path) const {
  Quiet quiet;
  return H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0;
}

template <class T>
std::vector<T> TraceReader::read(const std::string& path, std::int64_t type) const {
  Quiet quiet;
  Handle found(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!found.is_good()) fail(fmt::format("lacks {}", path));
  Handle space(H5Dget_space(found.get()), H5Sclose);
  hssize_t rows =
      H5Sget_simple_extent_ndims(space.get()) == 1 ? H5Sget_simple_extent_npoints(space.get()) : -1;
  if (rows < 0 || static_cast<std::size_t>(rows) > max_rows)
    fail(fmt::format("{} has an impossible shape", path));
  std::vector<T> values(static_cast<std::size_t>(rows));
  if (rows > 0 && H5Dread(found.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail(fmt::format("{} cannot be read ({})", path, reason()));
  return values;
}

std::vector<std::int64_t> TraceReader::numbers(const std::string& path) const {
  return read<std::int64_t>(path, H5T_NATIVE_INT64);
}

std::vector<double> TraceReader::reals(const std::string& path) const {
  return read<double>(path, H5T_NATIVE_DOUBLE);
}

std::vector<std::string> TraceReader::texts(const std::string& path) const {
  Quiet quiet;
  Handle found(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!found.is_good()) fail(fmt::format("lacks {}", path));
  Handle type(H5Dget_type(found.get()), H5Tclose), space(H5Dget_space(found.get()), H5Sclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0)
    fail(fmt::format("{} is not text of fixed length", path));
  std::size_t width = H5Tget_size(type.get());
  hssize_t rows = H5Sget_simple_extent_npoints(space.get());
  if (rows < 0 || width == 0 || width > 65'536 || static_cast<std::size_t>(rows) > max_rows / width)
    fail(fmt::format("{} has an impossible shape", path));
  std::string flat(width * static_cast<std::size_t>(rows), '\0');
  if (rows > 0 && H5Dread(found.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, flat.data()) < 0)
    fail(fmt::format("{} cannot be read ({})", path, reason()));
  std::vector<std::string> values;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
    std::string text = flat.substr(i * width, width);
    text.resize(std::min(text.find('\0'), text.size()));
    values.push_back(std::move(text));
  }
  return values;
}

}  // namespace lightrail
