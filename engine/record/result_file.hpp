#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/model/table_schema.hpp"
#include "engine/record/hdf5_handle.hpp"
#include "engine/record/hdf5_settings.hpp"

namespace lightrail {

/// The parts of a result file that one process writes: groups, attributes, whole datasets, empty columns.
/// ColumnWriter appends the rows. The first thing that goes wrong is kept in problem(); everything after it
/// fails in silence.
class ResultFile {
 public:
  enum class Mode { create, modify };
  /// create replaces an existing file, after making sure that it can be written.
  ResultFile(const std::string& path, Mode mode);
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  void create_group(const std::string& path);

  /// Attributes of a group or dataset that exists; a second call with the same name replaces the value.
  void set_attribute(const std::string& object, const std::string& name, const std::string& value);
  void set_attribute(const std::string& object, const std::string& name, const char* value);
  void set_attribute(const std::string& object, const std::string& name, std::int64_t value);
  void set_attribute(const std::string& object, const std::string& name, double value);
  void set_attribute(const std::string& object, const std::string& name,
                     const std::vector<std::string>& value);

  /// An extendible column of 8-byte values, empty at first, whose chunks have so many rows.
  void create_column(const std::string& path, const Column& column, std::int64_t rows_of_chunk = chunk_rows);
  /// The same in place of one that is still empty.
  void replace_column(const std::string& path, const Column& column, std::int64_t rows_of_chunk);

  /// A whole dataset; `at` gives row i.
  void write_numbers(const std::string& path, const std::string& unit, std::size_t rows,
                     const std::function<std::int64_t(std::size_t)>& at);
  void write_reals(const std::string& path, const std::string& unit, std::size_t rows,
                   const std::function<double(std::size_t)>& at);
  /// Fixed-length text, as long as the longest (variable length fails in parallel HDF5 1.10).
  void write_texts(const std::string& path, std::size_t rows,
                   const std::function<std::string(std::size_t)>& at);
  void write_text(const std::string& path, const std::string& text) {
    write_texts(path, 1, [&](std::size_t) { return text; });
  }

  void flush();
  void close();
  [[nodiscard]] const std::string& problem() const { return problem_; }  ///< empty: none yet

 private:
  bool check(bool is_good, const std::string& doing);
  void write_attribute(const std::string& object, const std::string& name, hid_t type, hid_t space,
                       const void* data);
  void write_dataset(const std::string& path, hid_t type, std::size_t rows, const void* data,
                     const std::string& unit);

  Hdf5Handle file_;
  std::string problem_;
};

}  // namespace lightrail
