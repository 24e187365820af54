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

  void attribute(const std::string& name, const std::string& value);
  void attribute(const std::string& name, std::int64_t value);
  void group(const std::string& path);
  void numbers(const std::string& path, const std::vector<std::int64_t>& values,
               const std::string& unit = "1");
  void reals(const std::string& path, const std::vector<double>& values, const std::string& unit = "1");
  void texts(const std::string& path, const std::vector<std::string>& values);  ///< fixed length
  void close();

 private:
  void write(const std::string& path, std::int64_t type, std::size_t rows, const void* data,
             const std::string& unit);
  std::string path_;
  std::int64_t file_ = -1;
};

/// Reads them back. Throws InputErrors with file and reason: truncated, not HDF5, a column that lacks.
class TraceReader {
 public:
  explicit TraceReader(const std::string& path);
  TraceReader(const TraceReader&) = delete;
  TraceReader& operator=(const TraceReader&) = delete;
  ~TraceReader();

  std::string text_attribute(const std::string& name) const;  ///< "" when absent
  std::int64_t number_attribute(const std::string& name) const;
  std::vector<std::int64_t> numbers(const std::string& path) const;
  std::vector<double> reals(const std::string& path) const;
  std::vector<std::string> texts(const std::string& path) const;
  [[noreturn]] void fail(const std::string& what) const;

 private:
  template <class T>
  std::vector<T> read(const std::string& path, std::int64_t type) const;
  std::string path_;
  std::int64_t file_ = -1;
};

}  // namespace lightrail
