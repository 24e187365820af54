#include "engine/checkpoint/checkpoint_writer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/base/hash.hpp"
#include "engine/checkpoint/checkpoint_folder.hpp"

namespace lightrail {

CheckpointWriter::CheckpointWriter(std::string folder)
    : folder_(std::move(folder)), path_(unfinished_checkpoint(folder_)) {
  file_.reset(std::fopen(path_.c_str(), "wb"));
  if (!check(file_ != nullptr, "create")) return;
  std::setvbuf(file_.get(), nullptr, _IOFBF, 1 << 20);
  write(&head_, sizeof head_);  // its place; the real one comes last
}

bool CheckpointWriter::check(bool is_good, const std::string& doing) {
  if (!is_good && problem_.empty())
    problem_ = fmt::format("cannot {} checkpoint '{}' ({})", doing, path_, std::strerror(errno));
  return is_good;
}

void CheckpointWriter::write(const void* data, std::size_t size) {
  if (!problem_.empty() || size == 0) return;
  errno = ENOSPC;
  check(std::fwrite(data, 1, size, file_.get()) == size, "write");
}

void CheckpointWriter::append_run(std::span<const std::byte> bytes) {
  head_.run_bytes = bytes.size();
  head_.run_checksum = checksum(bytes);
  write(bytes.data(), bytes.size());
}

void CheckpointWriter::append_component(std::span<const std::byte> bytes) {
  index_.push_back({bytes.size(), checksum(bytes)});
  head_.component_bytes += bytes.size();
  write(bytes.data(), bytes.size());
}

void CheckpointWriter::publish(const CheckpointIdentity& identity, SimTime time, std::int64_t number) {
  const auto index = std::as_bytes(std::span(index_));
  write(index.data(), index.size());
  identity.software.copy(head_.software.data(), head_.software.size() - 1);
  head_.scenario = identity.scenario;
  head_.time_ps = time.count();
  head_.components = index_.size();
  head_.index_checksum = checksum(index);
  head_.checksum = checksum(std::as_bytes(std::span(&head_, 1)).first(offsetof(CheckpointHead, checksum)));
  if (!problem_.empty()) return;
  std::rewind(file_.get());
  write(&head_, sizeof head_);
  if (!problem_.empty() || !check(std::fflush(file_.get()) == 0, "write") ||
      !check(::fsync(::fileno(file_.get())) == 0, "write") ||
      !check(std::fclose(file_.release()) == 0, "write"))
    return;
  const std::string name = checkpoint_path(folder_, number);
  if (!check(std::rename(path_.c_str(), name.c_str()) == 0, "rename")) return;
  if (!check(sync_folder(folder_), "make the name durable of")) return;
  keep_checkpoints(folder_, number - 1, number);
}

}  // namespace lightrail
