#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/checkpoint/checkpoint_format.hpp"

namespace lightrail {

/// A checkpoint, open for reading; every rank may have its own. What is read has passed its checksum.
class CheckpointFile {
 public:
  /// Reads head, run section and index. Throws InputErrors for a file that is no checkpoint or one of another
  /// schema, IoError for one that is damaged.
  explicit CheckpointFile(std::string path);
  ~CheckpointFile();
  CheckpointFile(const CheckpointFile&) = delete;
  CheckpointFile& operator=(const CheckpointFile&) = delete;

  /// Throws InputErrors for a checkpoint of another software, scenario or number of components.
  void check_is_for(const CheckpointIdentity& identity, std::size_t components) const;
  /// Throws IoError when a section of components [first, last) is damaged.
  void check_components(std::size_t first, std::size_t last) const;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// The folder that it lies in, "." where the path names none.
  [[nodiscard]] std::string folder() const;
  /// Simulated time at which it was taken.
  [[nodiscard]] SimTime time() const { return SimTime{head_.time_ps}; }
  /// Components of the model that it is of.
  [[nodiscard]] std::size_t components() const { return index_.size(); }
  /// The run section: what the engine itself saved.
  [[nodiscard]] std::span<const std::byte> run() const { return run_; }
  /// State of one component, 0 ... components() - 1. Throws IoError when it is damaged.
  [[nodiscard]] std::vector<std::byte> component(std::size_t id) const;

 private:
  void read(std::uint64_t offset, void* to, std::size_t size) const;
  [[noreturn]] void fail(const std::string& what) const;  ///< the file is damaged
  [[noreturn]] void refuse(const std::string& what) const;

  std::string path_;
  int descriptor_ = -1;
  CheckpointHead head_;
  std::vector<std::byte> run_;
  std::vector<CheckpointEntry> index_;
  std::vector<std::uint64_t> offsets_;  ///< by component
};

}  // namespace lightrail
