#pragma once
#include <istream>
#include <string>

#include "workloads/import/gzip_file.hpp"

namespace lightrail {

/// The lines of a text file, plain or gzip, one at a time in bounded memory.
class TextLines {
 public:
  explicit TextLines(const std::string& path) : path_(path), file_(path) {}

  /// The next line without its end; false at the end of the file. Throws InputErrors for a line of more than
  /// 64 KiB: that is no text.
  bool next(std::string& line);
  /// Number of the line that next() gave, from 1.
  [[nodiscard]] int number() const { return number_; }
  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::string path_;
  GzipFile file_;
  int number_ = 0;
};

}  // namespace lightrail
