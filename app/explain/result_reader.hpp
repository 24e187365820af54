#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/record/hdf5_handle.hpp"

namespace lightrail {

/// Reads what a run has written (docs/output.md). Everything throws InputErrors with the file and the reason
/// where the file cannot be read, lacks what is asked for, or holds it in another form.
class ResultReader {
 public:
  /// complete: refuses one of a run that goes on, was stopped, or failed. written: of a run of this process
  /// whose tables are complete.
  enum class Accept : std::uint8_t { complete, written };
  /// Refuses what is no result.
  explicit ResultReader(std::string path, Accept accept = Accept::complete);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Whether there is such a folder or column; `object` as "/tables/exposed".
  [[nodiscard]] bool has(const std::string& object) const;
  /// Names in a folder, sorted.
  [[nodiscard]] std::vector<std::string> names(const std::string& folder) const;
  [[nodiscard]] std::string text_attribute(const std::string& object, const std::string& name) const;
  [[nodiscard]] std::int64_t number_attribute(const std::string& object, const std::string& name) const;
  /// The texts that the values 0, 1, ... of a column stand for.
  [[nodiscard]] std::vector<std::string> labels(const std::string& column) const;
  [[nodiscard]] std::vector<std::int64_t> numbers(const std::string& column) const;
  [[nodiscard]] std::size_t rows(const std::string& column) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& column) const;
  /// Refuses columns of one folder that differ in length; `lengths`: their rows.
  void check_lengths(const std::string& folder, const std::vector<std::size_t>& lengths) const;
  /// The one text of a dataset without rows or of its first row: /run/scenario.
  [[nodiscard]] std::string text(const std::string& dataset) const;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  [[nodiscard]] std::vector<std::string> read_texts(hid_t type, hid_t space, hid_t source, bool is_attribute,
                                                    const std::string& what) const;

  std::string path_;
  Hdf5Handle file_;
};

}  // namespace lightrail
