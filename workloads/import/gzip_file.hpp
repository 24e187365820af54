#pragma once
#include <array>
#include <cstddef>
#include <streambuf>
#include <string>

struct gzFile_s;

namespace lightrail {

/// Reads a file, gzip'd or plain, as a stream of bytes of constant memory. Throws InputErrors when the file
/// cannot be opened, is damaged or ends early.
class GzipFile final : public std::streambuf {
 public:
  explicit GzipFile(const std::string& path);
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;
  ~GzipFile() override;

 protected:
  int_type underflow() override;

 private:
  std::string path_;
  gzFile_s* file_ = nullptr;
  std::array<char, 1 << 16> buffer_{};
};

/// The first `count` bytes of the text in a file, fewer where it is shorter. Throws as GzipFile does.
[[nodiscard]] std::string beginning_of(const std::string& path, std::size_t count);

}  // namespace lightrail
