#include "engine/model/table_registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "engine/base/error.hpp"

namespace lightrail {
namespace {

constexpr std::size_t max_tables = std::numeric_limits<TableId>::max();
constexpr const char* name_rule = "expected lower-case letters, digits and underscores, a letter first";

bool is_name(std::string_view text) {
  return !text.empty() && text[0] >= 'a' && text[0] <= 'z' &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

bool is_unit(std::string_view unit) {
  return unit == "1" || (!unit.empty() && std::all_of(unit.begin(), unit.end(), [](unsigned char c) {
           return std::isalpha(c) || c == '/';
         }));
}

/// How a column of that unit ends: "ps" _ps, "B" _bytes, "bit/s" _bit_per_s.
std::string suffix_of(const std::string& unit) {
  std::string suffix = "_";
  for (std::size_t from = 0; from <= unit.size();) {
    const std::size_t slash = std::min(unit.find('/', from), unit.size());
    std::string part = unit.substr(from, slash - from);
    if (part == "B") part = "bytes";
    std::transform(part.begin(), part.end(), part.begin(), [](unsigned char c) { return std::tolower(c); });
    suffix += (from > 0 ? "_per_" : "") + part;
    from = slash + 1;
  }
  return suffix;
}

/// What is wrong with a column's name for its unit; "" for nothing.
std::string unit_problem(const Column& column) {
  if (!is_unit(column.unit))
    return fmt::format("has the unit '{}' (expected letters, as ps, B or B/s, or 1)", column.unit);
  if (column.unit != "1") {
    const std::string suffix = suffix_of(column.unit);
    if (column.name.size() > suffix.size() && column.name.ends_with(suffix)) return "";
    return fmt::format("has the unit '{}', so its name must end in '{}'", column.unit, suffix);
  }
  for (const char* unit : {"ps", "B"})
    if (column.name.ends_with(suffix_of(unit)))
      return fmt::format("has the unit '1', but its name ends as one of unit '{}'", unit);
  return "";
}

std::string column_problem(const Column& column, std::set<std::string>& seen) {
  if (!is_name(column.name)) return fmt::format("has no valid name ({})", name_rule);
  if (column.name == "component") return "has the name of the column that every table begins with";
  if (!seen.insert(column.name).second) return "is declared twice";
  return unit_problem(column);
}

[[noreturn]] void refuse(const std::string& table, const std::string& why) {
  throw InputErrors(InputError{"", 0, fmt::format("table '{}' {}", table, why)});
}

}  // namespace

TableId TableRegistry::add(TableSchema schema) {
  if (!is_name(schema.name)) refuse(schema.name, fmt::format("has no valid name ({})", name_rule));
  if (find(schema.name)) refuse(schema.name, "is declared twice");
  if (schema.columns.empty()) refuse(schema.name, "has no columns");
  if (schemas_.size() == max_tables)
    refuse(schema.name, fmt::format("is one too many (at most {})", max_tables));
  std::set<std::string> seen;
  for (const Column& column : schema.columns)
    if (const std::string problem = column_problem(column, seen); !problem.empty())
      refuse(schema.name, fmt::format("column '{}' {}", column.name, problem));
  schemas_.push_back(std::move(schema));
  return static_cast<TableId>(schemas_.size() - 1);
}

void TableRegistry::set_labels(const std::string& table, const std::string& column,
                               std::vector<std::string> labels) {
  auto& columns = schemas_[id(table)].columns;
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == column; });
  if (found == columns.end()) refuse(table, fmt::format("has no column '{}'", column));
  if (found->type != ColumnType::int64)
    refuse(table, fmt::format("column '{}' has no integers to be labelled", column));
  found->labels = std::move(labels);
}

std::optional<TableId> TableRegistry::find(const std::string& name) const {
  for (std::size_t id = 0; id < schemas_.size(); ++id)
    if (schemas_[id].name == name) return static_cast<TableId>(id);
  return std::nullopt;
}

TableId TableRegistry::id(const std::string& name) const {
  if (const auto found = find(name)) return *found;
  refuse(name, schemas_.empty()
                   ? "is declared nowhere, and there is no other one"
                   : fmt::format("is declared nowhere (there are {})", fmt::join(names(), ", ")));
}

std::vector<std::string> TableRegistry::names() const {
  std::vector<std::string> all;
  for (const TableSchema& schema : schemas_) all.push_back(schema.name);
  return all;
}

}  // namespace lightrail
