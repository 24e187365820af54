#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace lightrail {

/// A row of a query. Columns by their place.
class SqliteRow {
 public:
  explicit SqliteRow(sqlite3_stmt* row) : row_(row) {}
  /// Empty for NULL and for what is no number.
  [[nodiscard]] std::optional<std::int64_t> number(int column) const;
  [[nodiscard]] std::string text(int column) const;  ///< "" for NULL
  /// Bytes of a BLOB, valid until the next row; empty for anything else.
  [[nodiscard]] std::span<const unsigned char> bytes(int column) const;

 private:
  sqlite3_stmt* row_;
};

/// A SQLite database, read only. Throws InputErrors for a file that is none or is damaged.
class SqliteFile {
 public:
  explicit SqliteFile(const std::string& path);
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;
  ~SqliteFile();

  [[nodiscard]] bool has(const std::string& table) const;
  [[nodiscard]] bool has(const std::string& table, const std::string& column) const;

  /// Hands over these columns of every row of a table, NULL for those that it lacks; nothing without the
  /// table. In the order of the file.
  void each(const std::string& table, const std::vector<std::string>& columns,
            const std::function<void(const SqliteRow&)>& on_row) const;

  /// The text `value` of the row of `table` whose integer `key` is that; "" where there is none.
  [[nodiscard]] std::string text_of(const std::string& table, const std::string& key,
                                    const std::string& value, std::int64_t number) const;

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  sqlite3* file_ = nullptr;
  std::unordered_map<std::string, std::vector<std::string>> tables_;  ///< columns by table
};

/// Whether a file begins as SQLite's do.
[[nodiscard]] bool is_sqlite(const std::string& path);

}  // namespace lightrail
