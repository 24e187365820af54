#include "engine/base/whole_file.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "engine/base/error.hpp"

namespace lightrail {

std::string read_whole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_whole(const std::string& path, const std::string& text) {
  const std::string part = path + ".part";
  std::ofstream out(part, std::ios::binary);
  out << text << std::flush;
  std::error_code error;
  if (out) std::filesystem::rename(part, path, error);
  if (!out || error) throw IoError("cannot write '" + path + "'");
}

}  // namespace lightrail
