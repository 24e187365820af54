#include "workloads/import/text_lines.hpp"

#include <limits>

#include "engine/base/error.hpp"

namespace lightrail {

namespace {

constexpr std::size_t longest_line = 1 << 16;

}  // namespace

bool TextLines::next(std::string& line) {
  line.clear();
  int c = file_.sbumpc();
  if (c == EOF) return false;
  if (number_ < std::numeric_limits<int>::max()) ++number_;
  for (; c != EOF && c != '\n'; c = file_.sbumpc()) {
    line += static_cast<char>(c);
    if (line.size() > longest_line) fail("a line of more than 65536 characters");
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

void TextLines::fail(const std::string& what) const {
  throw InputErrors(InputError{path_, number_, what});
}

}  // namespace lightrail
