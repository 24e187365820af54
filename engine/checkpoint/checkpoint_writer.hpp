#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/checkpoint/checkpoint_format.hpp"

namespace lightrail {

/// Writes one checkpoint, on one rank: into a file of another name, which becomes the checkpoint once it is
/// on the disk. Whatever ends the program before leaves the earlier checkpoints as they were. The first thing
/// that goes wrong is kept in problem(); everything after it does nothing.
class CheckpointWriter {
 public:
  explicit CheckpointWriter(std::string folder);

  /// First the run section, then one section a component, in id order.
  void append_run(std::span<const std::byte> bytes);
  void append_component(std::span<const std::byte> bytes);
  /// Ends the file and gives it its name; of the others only the one before is kept.
  void publish(const CheckpointIdentity& identity, SimTime time, std::int64_t number);

  [[nodiscard]] const std::string& problem() const { return problem_; }  ///< empty: none yet

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void write(const void* data, std::size_t size);
  bool check(bool is_good, const std::string& doing);

  std::string folder_, path_, problem_;
  std::unique_ptr<std::FILE, Close> file_;
  CheckpointHead head_;
  std::vector<CheckpointEntry> index_;
};

}  // namespace lightrail
