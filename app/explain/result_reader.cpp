#include "app/explain/result_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/record/hdf5_reason.hpp"
#include "engine/record/hdf5_settings.hpp"
#include "engine/record/provenance.hpp"

namespace lightrail {
namespace {

constexpr hssize_t max_rows = hssize_t{1} << 32;
constexpr std::size_t max_text = std::size_t{1} << 30;

herr_t add_name(hid_t, const char* name, const H5L_info_t*, void* all) {
  static_cast<std::vector<std::string>*>(all)->emplace_back(name);
  return 0;
}

}  // namespace

ResultReader::ResultReader(std::string path, Accept accept) : path_(std::move(path)) {
  prepare_hdf5();
  std::error_code code;
  if (!std::filesystem::exists(path_, code)) fail("cannot read result (no such file)");
  if (!std::filesystem::is_regular_file(path_, code)) fail("cannot read result (no regular file)");
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.get(), false, true);
  file_ = Hdf5Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!file_.is_valid()) fail(fmt::format("is no result of lightrail ({})", hdf5_reason()));
  if (H5Aexists_by_name(file_.get(), "/", "schema", H5P_DEFAULT) <= 0 ||
      text_attribute("/", "schema") != "lightrail result")
    fail("is no result of lightrail (HDF5, but without the attribute @schema of one)");
  if (const std::int64_t layout = number_attribute("/", "schema_version"); layout > result_layout)
    fail(fmt::format("has layout {} and is of lightrail {}; lightrail {} reads layouts up to {}", layout,
                     text_attribute("/", "software_version"), software_version(), result_layout));
  if (accept == Accept::written) return;
  const std::string status = text_attribute("/run", "status");
  if (status == "running") fail("is not finished: its run goes on or was killed (@status is 'running')");
  if (status == "stopped") fail("is not finished: its run was stopped (go on with --resume)");
  if (status != "complete") fail(fmt::format("is of a run that did not end well (@status is '{}')", status));
}

void ResultReader::fail(const std::string& what) const {
  throw InputErrors(InputError{path_, 0, what});
}

bool ResultReader::has(const std::string& object) const {
  // Every folder above must exist, too.
  for (std::size_t end = object.find('/', 1);; end = object.find('/', end + 1)) {
    if (H5Lexists(file_.get(), object.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

std::vector<std::string> ResultReader::names(const std::string& folder) const {
  Hdf5Handle group(H5Gopen2(file_.get(), folder.c_str(), H5P_DEFAULT), H5Gclose);
  if (!group.is_valid()) fail("lacks " + folder);
  std::vector<std::string> all;
  H5Literate(group.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &all);
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::string> ResultReader::read_texts(hid_t type, hid_t space, hid_t source, bool is_attribute,
                                                  const std::string& what) const {
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0)
    fail(what + " is not text of fixed length");
  const std::size_t width = H5Tget_size(type);
  const hssize_t rows = H5Sget_simple_extent_npoints(space);
  if (rows < 0 || width == 0 || width > max_text || static_cast<std::size_t>(rows) > max_text / width)
    fail(what + " has an impossible shape");
  std::string flat(width * static_cast<std::size_t>(rows), '\0');
  const herr_t done = rows == 0      ? 0
                      : is_attribute ? H5Aread(source, type, flat.data())
                                     : H5Dread(source, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, flat.data());
  if (done < 0) fail(fmt::format("{} cannot be read ({})", what, hdf5_reason()));
  std::vector<std::string> all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
    const std::string_view padded(&flat[i * width], width);
    all.emplace_back(padded.substr(0, padded.find('\0')));
  }
  return all;
}

std::string ResultReader::text_attribute(const std::string& object, const std::string& name) const {
  const std::string what = fmt::format("attribute {}@{}", object, name);
  Hdf5Handle found(H5Aopen_by_name(file_.get(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                   H5Aclose);
  if (!found.is_valid()) fail("lacks the " + what);
  Hdf5Handle type(H5Aget_type(found.get()), H5Tclose), space(H5Aget_space(found.get()), H5Sclose);
  const auto all = read_texts(type.get(), space.get(), found.get(), true, what);
  return all.empty() ? "" : all.front();
}

std::int64_t ResultReader::number_attribute(const std::string& object, const std::string& name) const {
  Hdf5Handle found(H5Aopen_by_name(file_.get(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                   H5Aclose);
  Hdf5Handle type(found.is_valid() ? H5Aget_type(found.get()) : -1, H5Tclose);
  std::int64_t value = 0;
  if (!found.is_valid() || H5Tget_class(type.get()) != H5T_INTEGER ||
      H5Aread(found.get(), H5T_NATIVE_INT64, &value) < 0)
    fail(fmt::format("lacks the attribute {}@{}", object, name));
  return value;
}

std::vector<std::string> ResultReader::labels(const std::string& column) const {
  Hdf5Handle found(H5Aopen_by_name(file_.get(), column.c_str(), "labels", H5P_DEFAULT, H5P_DEFAULT),
                   H5Aclose);
  if (!found.is_valid()) fail(fmt::format("lacks the attribute {}@labels", column));
  Hdf5Handle type(H5Aget_type(found.get()), H5Tclose), space(H5Aget_space(found.get()), H5Sclose);
  return read_texts(type.get(), space.get(), found.get(), true, column + "@labels");
}

std::vector<std::int64_t> ResultReader::numbers(const std::string& column) const {
  Hdf5Handle found(H5Dopen2(file_.get(), column.c_str(), H5P_DEFAULT), H5Dclose);
  if (!found.is_valid()) fail("lacks " + column);
  Hdf5Handle type(H5Dget_type(found.get()), H5Tclose), space(H5Dget_space(found.get()), H5Sclose);
  const hssize_t rows =
      H5Sget_simple_extent_ndims(space.get()) == 1 ? H5Sget_simple_extent_npoints(space.get()) : -1;
  if (H5Tget_class(type.get()) != H5T_INTEGER || rows < 0 || rows > max_rows)
    fail(column + " is no column of whole numbers");
  std::vector<std::int64_t> values(static_cast<std::size_t>(rows));
  if (rows > 0 && H5Dread(found.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail(fmt::format("{} cannot be read ({})", column, hdf5_reason()));
  return values;
}

std::size_t ResultReader::rows(const std::string& column) const {
  Hdf5Handle found(H5Dopen2(file_.get(), column.c_str(), H5P_DEFAULT), H5Dclose);
  if (!found.is_valid()) fail("lacks " + column);
  Hdf5Handle space(H5Dget_space(found.get()), H5Sclose);
  return static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.get())));
}

std::vector<std::string> ResultReader::texts(const std::string& column) const {
  Hdf5Handle found(H5Dopen2(file_.get(), column.c_str(), H5P_DEFAULT), H5Dclose);
  if (!found.is_valid()) fail("lacks " + column);
  Hdf5Handle type(H5Dget_type(found.get()), H5Tclose), space(H5Dget_space(found.get()), H5Sclose);
  return read_texts(type.get(), space.get(), found.get(), false, column);
}

void ResultReader::check_lengths(const std::string& folder, const std::vector<std::size_t>& lengths) const {
  if (std::any_of(lengths.begin(), lengths.end(), [&](std::size_t rows) { return rows != lengths.front(); }))
    fail(fmt::format("columns of {} differ in length", folder));
}

std::string ResultReader::text(const std::string& dataset) const {
  const auto all = texts(dataset);
  return all.empty() ? "" : all.front();
}

}  // namespace lightrail
