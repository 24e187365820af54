#pragma once
#include <string>
#include <vector>

namespace lightrail {

/// A field of a line of CSV in quotes, whatever it holds (RFC 4180).
[[nodiscard]] std::string csv_quoted(const std::string& text);
/// The same, in quotes only where they are needed.
[[nodiscard]] std::string csv_field(const std::string& text);

/// The fields of a line. Commas between quotes part nothing; quotes are left out, two in a row as well.
[[nodiscard]] std::vector<std::string> csv_cells(const std::string& line);

}  // namespace lightrail
