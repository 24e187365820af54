#include "engine/checkpoint/checkpoint_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <vector>

#include "engine/base/error.hpp"

namespace lightrail {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view head = "checkpoint-", spool_head = "rows-", tail = ".lr";

bool is_between(const std::string& name, std::string_view front) {
  return name.size() > front.size() + tail.size() && name.starts_with(front) && name.ends_with(tail);
}

std::vector<fs::path> files_of(const std::string& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    files.push_back(it->path());
  return files;
}

}  // namespace

std::string checkpoint_path(const std::string& folder, std::int64_t number) {
  return fmt::format("{}/{}{:06}{}", folder, head, number, tail);
}
std::string unfinished_checkpoint(const std::string& folder) {
  return folder + "/checkpoint.unfinished";
}
std::string spool_path(const std::string& folder, const std::string& table) {
  return fmt::format("{}/{}{}{}", folder, spool_head, table, tail);
}

std::int64_t checkpoint_number(const std::string& path) {
  const std::string name = fs::path(path).filename();
  if (!is_between(name, head)) return -1;
  std::int64_t number = -1;
  const char* end = name.data() + name.size() - tail.size();
  const auto parsed = std::from_chars(name.data() + head.size(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end ? number : -1;
}

bool has_checkpoint(const std::string& folder) {
  const std::vector<fs::path> files = files_of(folder);
  return std::any_of(files.begin(), files.end(),
                     [](const fs::path& file) { return checkpoint_number(file) >= 0; });
}

std::string find_checkpoint(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return path;
  if (!fs::is_directory(path, error))
    throw InputErrors(InputError{path, 0, "is neither a checkpoint nor a folder of checkpoints"});
  std::int64_t newest = -1;
  for (const fs::path& file : files_of(path)) newest = std::max(newest, checkpoint_number(file));
  if (newest < 0) throw InputErrors(InputError{path, 0, "the folder holds no checkpoint"});
  return checkpoint_path(path, newest);
}

void prepare_folder(const std::string& folder, bool is_new_run) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (error || !fs::is_directory(folder))
    throw IoError(fmt::format("cannot create checkpoint folder '{}' ({})", folder,
                              error ? error.message() : "a file of that name exists"));
  if (!is_new_run) return;
  for (const fs::path& file : files_of(folder))
    if (checkpoint_number(file) >= 0 || is_between(file.filename(), spool_head)) fs::remove(file, error);
}

void keep_checkpoints(const std::string& folder, std::int64_t before, std::int64_t newest) {
  std::error_code ignored;
  for (const fs::path& file : files_of(folder)) {
    const std::int64_t number = checkpoint_number(file);
    if (number >= 0 && number != before && number != newest) fs::remove(file, ignored);
  }
}

bool sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool is_good = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return is_good;
}

}  // namespace lightrail
