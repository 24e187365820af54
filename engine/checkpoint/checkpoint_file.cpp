#include "engine/checkpoint/checkpoint_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/hash.hpp"
#include "engine/checkpoint/checkpoint_folder.hpp"

namespace lightrail {

CheckpointFile::CheckpointFile(std::string path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0)
    throw IoError(fmt::format("cannot open checkpoint '{}' ({})", path_, std::strerror(errno)));
  const auto size = static_cast<std::uint64_t>(status.st_size);
  try {
    if (size < sizeof head_) fail(fmt::format("it ends after {} bytes, inside its head", size));
    read(0, &head_, sizeof head_);
    if (head_.magic != CheckpointHead::right_magic) refuse("is no lightrail checkpoint");
    if (head_.schema != CheckpointHead::right_schema)
      refuse(fmt::format("checkpoint of schema {} (this lightrail reads schema {})", head_.schema,
                         CheckpointHead::right_schema));
    const auto head = std::as_bytes(std::span(&head_, 1)).first(offsetof(CheckpointHead, checksum));
    if (checksum(head) != head_.checksum) fail("its head does not match its checksum");
    const std::uint64_t index_at = sizeof head_ + head_.run_bytes + head_.component_bytes;
    const std::uint64_t whole = index_at + head_.components * sizeof(CheckpointEntry);
    if (size != whole) fail(fmt::format("it has {} bytes of {}", size, whole));
    run_.resize(head_.run_bytes);
    read(sizeof head_, run_.data(), run_.size());
    if (checksum(run_) != head_.run_checksum) fail("the state of the run does not match its checksum");
    index_.resize(head_.components);
    read(index_at, index_.data(), index_.size() * sizeof(CheckpointEntry));
    if (checksum(std::as_bytes(std::span(index_))) != head_.index_checksum)
      fail("its index does not match its checksum");
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
  std::uint64_t offset = sizeof head_ + head_.run_bytes;
  for (const CheckpointEntry& entry : index_) {
    offsets_.push_back(offset);
    offset += entry.bytes;
  }
}

CheckpointFile::~CheckpointFile() {
  ::close(descriptor_);
}

std::string CheckpointFile::folder() const {
  const std::string folder = std::filesystem::path(path_).parent_path();
  return folder.empty() ? "." : folder;
}

void CheckpointFile::read(std::uint64_t offset, void* to, std::size_t size) const {
  for (auto* next = static_cast<std::byte*>(to); size > 0;) {
    const ssize_t got = ::pread(descriptor_, next, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(std::strerror(errno));
    if (got == 0) fail("it ends early");
    next += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
}

void CheckpointFile::fail(const std::string& what) const {
  std::string text = fmt::format("checkpoint '{}' is damaged: {}", path_, what);
  const std::int64_t number = checkpoint_number(path_);
  const std::string before = checkpoint_path(folder(), number - 1);
  std::error_code error;
  if (number > 0 && std::filesystem::is_regular_file(before, error))
    text += fmt::format(" (the one before it is '{}')", before);
  throw IoError(text);
}

void CheckpointFile::refuse(const std::string& what) const {
  throw InputErrors(InputError{path_, 0, what});
}

void CheckpointFile::check_is_for(const CheckpointIdentity& identity, std::size_t components) const {
  const std::string written_by(head_.software.data(), strnlen(head_.software.data(), head_.software.size()));
  if (written_by != identity.software)
    refuse(fmt::format("checkpoint of lightrail {} (this is lightrail {})", written_by, identity.software));
  if (head_.scenario != identity.scenario || index_.size() != components)
    refuse(
        "checkpoint of another run (scenario, --set, --seed, trace, plugins and algorithms must be those of "
        "the "
        "run that wrote it)");
}

void CheckpointFile::check_components(std::size_t first, std::size_t last) const {
  for (std::size_t id = first; id < last; ++id) static_cast<void>(component(id));
}

std::vector<std::byte> CheckpointFile::component(std::size_t id) const {
  const CheckpointEntry& entry = index_.at(id);
  std::vector<std::byte> bytes(entry.bytes);
  read(offsets_[id], bytes.data(), bytes.size());
  if (checksum(bytes) != entry.checksum)
    fail(fmt::format("the state of component {} does not match its checksum", id));
  return bytes;
}

}  // namespace lightrail
