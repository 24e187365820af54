#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/model/context.hpp"
#include "engine/model/table_schema.hpp"

namespace lightrail {

/// The tables that the output of a run has: those of this source tree (components/built_in_tables.hpp), then
/// those of plugins in the order of their loading. A table's id is its place, from 0. A value; the Model
/// shares it with whoever writes and reads rows.
class TableRegistry {
 public:
  /// Returns its id. Throws InputErrors when the table's name is taken, it or a column has a name that is
  /// none (lower-case letters, digits and underscores, a letter first), two columns share a name, or a
  /// column's name does not end as its unit says: t_start_ps [ps], size_bytes [B], energy_pj [pJ], number
  /// [1].
  TableId add(TableSchema schema);

  /// The text of each value of a column of integers, from 0 on. Throws InputErrors when there is no such
  /// column.
  void set_labels(const std::string& table, const std::string& column, std::vector<std::string> labels);

  /// Nothing when no table has that name.
  [[nodiscard]] std::optional<TableId> find(const std::string& name) const;
  /// As find(); throws InputErrors that says which tables there are.
  [[nodiscard]] TableId id(const std::string& name) const;
  /// By id.
  [[nodiscard]] const std::vector<TableSchema>& schemas() const { return schemas_; }
  [[nodiscard]] const TableSchema& operator[](TableId id) const { return schemas_[id]; }
  [[nodiscard]] std::size_t size() const { return schemas_.size(); }
  /// By id.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::vector<TableSchema> schemas_;
};

}  // namespace lightrail
