#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/table_registry.hpp"

namespace lightrail {

class ColumnWriter;

/// The rows of a result file up to a checkpoint, table by table, in files that only grow:
/// FOLDER/rows-<table>.lr, row-major, 8 bytes a value, component first. A run that goes on makes its result
/// file anew from them, whatever became of the old one. One rank's; functions throw IoError.
class RowSpool {
 public:
  /// How far one table goes, and the sum of its rows' hashes: a sum, so that it grows with the rows.
  struct Extent {
    std::int64_t rows = 0;
    std::uint64_t checksum = 0;
  };
  explicit RowSpool(const TableRegistry& tables) : tables_(&tables), extents_(tables.size()) {}

  /// Appends what the result file has more of each table (up to `rows`); on return it is on the disk.
  void take(const std::string& folder, const std::string& result_file, const std::vector<std::int64_t>& rows);

  [[nodiscard]] const std::vector<Extent>& extents() const { return extents_; }
  /// Goes on from a spool of that extent. `is_here`: in the folder of take(); else take() starts a new one.
  void resume(std::vector<Extent> extents) { extents_ = std::move(extents); }

  /// Throws when a file ends before its extent or its rows are not those that were written.
  void check(const std::string& folder, const std::vector<Extent>& extents) const;
  /// Appends the spooled rows to a result file that has none.
  void restore(const std::string& folder, const std::vector<Extent>& extents, ColumnWriter& columns) const;

 private:
  const TableRegistry* tables_;
  std::vector<Extent> extents_;  ///< by table
};

}  // namespace lightrail
