#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace lightrail {

/// What is known of a point's run.
struct PointRecord {
  enum class State : std::uint8_t { not_run, complete, failed };
  State state = State::not_run;
  int exit_code = 0;    ///< of a failed run; 128 and more: ended by a signal
  std::string error;    ///< what a failed run said
  std::string summary;  ///< JSON, as --summary writes it; "" of a run that has none

  /// Whether the same run would give the same again: it is complete, or the simulated system failed.
  [[nodiscard]] bool is_final() const;
};

/// The folder of a study: points/KEY/ has what is known of the run with that key. A file that is there is
/// whole, whenever a process was killed.
class StudyFolder {
 public:
  explicit StudyFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
  [[nodiscard]] std::filesystem::path point(const std::string& key) const { return folder_ / "points" / key; }
  [[nodiscard]] std::filesystem::path log(const std::string& key) const { return point(key) / "log.txt"; }
  [[nodiscard]] std::filesystem::path result(const std::string& key) const {
    return point(key) / "result.h5";
  }
  /// Where a run writes its summary, which is the point's only when it has ended.
  [[nodiscard]] std::filesystem::path new_summary(const std::string& key) const;
  [[nodiscard]] std::filesystem::path checkpoint(const std::string& key) const {
    return point(key) / "checkpoint";
  }

  /// Throws IoError when the folder cannot be made.
  void make(const std::string& key) const;
  [[nodiscard]] PointRecord read(const std::string& key) const;
  /// After the run has ended with this code: its summary becomes the point's, or what it said the reason of
  /// its failure. Throws IoError when that cannot be written.
  [[nodiscard]] PointRecord finish(const std::string& key, int exit_code) const;

 private:
  std::filesystem::path folder_;
};

/// The lines of a log that say why a run failed; without such lines its last ones.
[[nodiscard]] std::string reason_in(const std::string& log);

}  // namespace lightrail
