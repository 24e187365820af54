#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lightrail {

/// Columns of a trace file: one HDF5 dataset each, written once by one process. Throws IoError.
class TraceWriter {
 public:
  explicit TraceWriter(const std::string& path);
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  ~TraceWriter();

  /// Attributes of the file.
  void attribute(const std::string& name, const std::string& value);
  void attribute(const std::string& name, std::int64_t value);
  /// A folder of columns, "/ops"; before any column in it.
  void group(const std::string& path);
  /// A whole column at once; `unit` is stored beside it ("ps", "B", "1").
  void numbers(const std::string& path, const std::vector<std::int64_t>& values,
               const std::string& unit = "1");
  void reals(const std::string& path, const std::vector<double>& values, const std::string& unit = "1");
  void texts(const std::string& path, const std::vector<std::string>& values);  ///< fixed length
  /// Begins a column of numbers that grows row by row, and returns its number for append(); what it holds
  /// back is bounded.
  std::size_t column(const std::string& path, const std::string& unit);
  void append(std::size_t column, std::int64_t value) {
    columns_[column].held.push_back(value);
    if (columns_[column].held.size() == held_rows) flush(columns_[column]);
  }
  /// Forgets the last `rows` of a column.
  void drop_last(std::size_t column, std::size_t rows);
  /// Writes what is held back and closes the file.
  void close();

 private:
  static constexpr std::size_t held_rows = 65'536;
  struct Column {
    std::string path;
    std::int64_t dataset = -1;
    std::size_t rows = 0;
    std::vector<std::int64_t> held;
  };
  void flush(Column& column);
  void units(std::int64_t dataset, const std::string& path, const std::string& unit);
  void write(const std::string& path, std::int64_t type, std::size_t rows, const void* data,
             const std::string& unit);
  std::string path_;
  std::int64_t file_ = -1;
  std::vector<Column> columns_;
};

/// Reads them back. Throws InputErrors with file and reason: truncated, not HDF5, a column that lacks.
class TraceReader {
 public:
  explicit TraceReader(const std::string& path);
  TraceReader(const TraceReader&) = delete;
  TraceReader& operator=(const TraceReader&) = delete;
  ~TraceReader();

  [[nodiscard]] std::string text_attribute(const std::string& name) const;  ///< "" when absent
  [[nodiscard]] std::int64_t number_attribute(const std::string& name) const;
  /// Whether the file has that column or folder.
  [[nodiscard]] bool has(const std::string& path) const;
  /// A whole column, "/ops/kind".
  [[nodiscard]] std::vector<std::int64_t> numbers(const std::string& path) const;
  [[nodiscard]] std::vector<double> reals(const std::string& path) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& path) const;
  [[noreturn]] void fail(const std::string& what) const;

 private:
  template <class T>
  [[nodiscard]] std::vector<T> read(const std::string& path, std::int64_t type) const;
  std::string path_;
  std::int64_t file_ = -1;
};

}  // namespace lightrail
