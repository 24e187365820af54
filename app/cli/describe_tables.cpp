#include "app/cli/describe_tables.hpp"

#include <fmt/format.h>

namespace lightrail {
namespace {

const char* default_of(TableScope scope) {
  switch (scope) {
    case TableScope::system:
      return "recorded unless turned off";
    case TableScope::first_endpoints:
      return "recorded of the first 8 GPUs";
    case TableScope::all_endpoints:
      return "recorded of all GPUs";
  }
  return "";
}

std::string column_text(const Column& column) {
  std::string text = fmt::format("  {:<22} {:<12} {}\n", column.name,
                                 column.type == ColumnType::name ? "name"
                                 : column.unit == "1"            ? "number"
                                                                 : column.unit,
                                 column.doc);
  if (!column.labels.empty()) text += fmt::format("{:<37}one of {}\n", "", fmt::join(column.labels, " "));
  return text;
}

}  // namespace

std::string tables_text(const TableRegistry& tables) {
  std::string text;
  for (const TableSchema& table : tables.schemas()) {
    text += fmt::format("/tables/{}  {}; {}\n", table.name, table.doc, default_of(table.scope));
    for (const Column& column : table.columns) text += column_text(column);
    text += "\n";
  }
  return text;
}

}  // namespace lightrail
