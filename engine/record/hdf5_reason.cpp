#include "engine/record/hdf5_reason.hpp"

#include <hdf5.h>

#include <string_view>

namespace lightrail {

namespace {

/// The text between `before` and `after` in `text`, or "".
std::string between(std::string_view text, std::string_view before, std::string_view after) {
  auto begin = text.find(before);
  if (begin == text.npos) return "";
  begin += before.size();
  auto end = text.find(after, begin);
  return std::string(text.substr(begin, end == text.npos ? text.npos : end - begin));
}

/// Of MPI's error stack the last line, without the name of the function.
std::string last_line(const std::string& text) {
  std::string line = text.substr(text.rfind('\n') + 1);
  std::size_t colon = line.find("): ");
  return colon == line.npos ? line : line.substr(colon + 3);
}

struct Found {
  std::string innermost, system;
};

herr_t look(unsigned, const H5E_error2_t* error, void* data) {
  auto& found = *static_cast<Found*>(data);
  std::string text = error->desc ? error->desc : "";
  if (found.innermost.empty()) found.innermost = text;
  // H5FDsec2.c quotes strerror; H5FDmpio.c quotes MPI_Error_string.
  if (found.system.empty()) found.system = between(text, "error message = '", "'");
  if (found.system.empty()) found.system = last_line(between(text, "MPI error string is '", "'"));
  return 0;
}

}  // namespace

std::string hdf5_reason() {
  Found found;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look, &found);
  H5Eclear2(H5E_DEFAULT);
  if (!found.system.empty()) return found.system;
  return found.innermost.empty() ? "unknown HDF5 error" : found.innermost;
}

}  // namespace lightrail
