#include "workloads/import/nsight/sqlite_file.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <fstream>

#include "engine/base/error.hpp"

namespace lightrail {

namespace {

constexpr const char* magic = "SQLite format 3";

/// Names come from the file or from this source; both are quoted.
std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

}  // namespace

std::optional<std::int64_t> SqliteRow::number(int column) const {
  if (sqlite3_column_type(row_, column) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_int64(row_, column);
}

std::string SqliteRow::text(int column) const {
  const unsigned char* text = sqlite3_column_text(row_, column);
  const int size = sqlite3_column_bytes(row_, column);
  return text ? std::string(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)) : "";
}

std::span<const unsigned char> SqliteRow::bytes(int column) const {
  if (sqlite3_column_type(row_, column) != SQLITE_BLOB) return {};
  const auto* data = static_cast<const unsigned char*>(sqlite3_column_blob(row_, column));
  return {data, data ? static_cast<std::size_t>(sqlite3_column_bytes(row_, column)) : 0};
}

SqliteFile::SqliteFile(const std::string& path) : path_(path) {
  if (sqlite3_open_v2(path.c_str(), &file_, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK) {
    const std::string why = file_ ? sqlite3_errmsg(file_) : "out of memory";
    sqlite3_close(file_);
    throw InputErrors(InputError{path, 0, fmt::format("cannot read trace ({})", why)});
  }
  try {
    std::vector<std::string> names;
    tables_["sqlite_master"] = {"type", "name"};
    each("sqlite_master", {"type", "name"}, [&](const SqliteRow& row) {
      if (row.text(0) == "table") names.push_back(row.text(1));  // no view: it could compute for ever
    });
    for (const std::string& name : names) {
      std::vector<std::string>& columns = tables_[name];
      sqlite3_stmt* query = nullptr;
      const std::string text = "PRAGMA table_info(" + quoted(name) + ")";
      if (sqlite3_prepare_v2(file_, text.c_str(), -1, &query, nullptr) != SQLITE_OK) fail();
      while (sqlite3_step(query) == SQLITE_ROW) columns.push_back(SqliteRow(query).text(1));
      if (sqlite3_finalize(query) != SQLITE_OK) fail();
    }
  } catch (...) {
    sqlite3_close(file_);
    throw;
  }
}

SqliteFile::~SqliteFile() {
  sqlite3_close(file_);
}

void SqliteFile::fail() const {
  throw InputErrors(InputError{path_, 0, fmt::format("damaged SQLite file ({})", sqlite3_errmsg(file_))});
}

bool SqliteFile::has(const std::string& table) const {
  return tables_.contains(table);
}

bool SqliteFile::has(const std::string& table, const std::string& column) const {
  const auto found = tables_.find(table);
  return found != tables_.end() &&
         std::find(found->second.begin(), found->second.end(), column) != found->second.end();
}

void SqliteFile::each(const std::string& table, const std::vector<std::string>& columns,
                      const std::function<void(const SqliteRow&)>& on_row) const {
  if (!has(table)) return;
  std::string text = "SELECT ";
  for (const std::string& column : columns)
    text += (text.size() > 7 ? ", " : "") + (has(table, column) ? quoted(column) : std::string("NULL"));
  text += " FROM " + quoted(table);
  sqlite3_stmt* query = nullptr;
  if (sqlite3_prepare_v2(file_, text.c_str(), -1, &query, nullptr) != SQLITE_OK) fail();
  try {
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(query)) == SQLITE_ROW) on_row(SqliteRow(query));
    if (code != SQLITE_DONE) fail();
  } catch (...) {
    sqlite3_finalize(query);
    throw;
  }
  sqlite3_finalize(query);
}

std::string SqliteFile::text_of(const std::string& table, const std::string& key, const std::string& value,
                                std::int64_t number) const {
  if (!has(table, key) || !has(table, value)) return "";
  const std::string text =
      fmt::format("SELECT {} FROM {} WHERE {} = ?", quoted(value), quoted(table), quoted(key));
  sqlite3_stmt* query = nullptr;
  if (sqlite3_prepare_v2(file_, text.c_str(), -1, &query, nullptr) != SQLITE_OK) fail();
  sqlite3_bind_int64(query, 1, number);
  const int code = sqlite3_step(query);
  const std::string found = code == SQLITE_ROW ? SqliteRow(query).text(0) : "";
  sqlite3_finalize(query);
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail();
  return found;
}

bool is_sqlite(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string beginning(std::string(magic).size(), '\0');
  in.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return beginning == magic;
}

}  // namespace lightrail
