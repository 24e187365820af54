#include "workloads/import/gzip_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "engine/base/error.hpp"

namespace lightrail {

GzipFile::GzipFile(const std::string& path) : path_(path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code))
    throw InputErrors(InputError{path, 0, "cannot read trace (is a directory)"});
  errno = 0;
  file_ = gzopen(path.c_str(), "rb");
  if (!file_)
    throw InputErrors(InputError{path, 0, fmt::format("cannot read trace ({})", std::strerror(errno))});
  gzbuffer(file_, 1 << 17);
}

GzipFile::~GzipFile() {
  gzclose(file_);
}

GzipFile::int_type GzipFile::underflow() {
  int got = gzread(file_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
  int code = Z_OK;
  const char* text = gzerror(file_, &code);
  if (code == Z_BUF_ERROR)
    throw InputErrors(InputError{path_, 0,
                                 fmt::format("gzip data ends early (truncated after {} bytes of text)",
                                             static_cast<long long>(gztell(file_)))});
  if (got < 0) throw InputErrors(InputError{path_, 0, fmt::format("damaged gzip data ({})", text)});
  if (got == 0) return traits_type::eof();
  setg(buffer_.data(), buffer_.data(), buffer_.data() + got);
  return traits_type::to_int_type(*gptr());
}

std::string beginning_of(const std::string& path, std::size_t count) {
  GzipFile file(path);
  std::string text(count, '\0');
  const auto got = file.sgetn(text.data(), static_cast<std::streamsize>(count));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, got)));
  return text;
}

}  // namespace lightrail
