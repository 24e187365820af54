#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace lightrail {

/// A file that one process at a time holds, and what it starts with it: the lock ends with the last of them,
/// however they end.
class LockedLog {
 public:
  /// Opens or makes the file; not held when another process holds it. Throws IoError where it cannot be
  /// opened.
  explicit LockedLog(const std::string& path);
  ~LockedLog();
  LockedLog(LockedLog&& other) noexcept;
  LockedLog& operator=(LockedLog&&) = delete;
  [[nodiscard]] bool is_held() const { return is_held_; }
  [[nodiscard]] int file() const { return file_; }
  void clear() const;  ///< empties it

 private:
  int file_ = -1;
  bool is_held_ = false;
};

/// A program that runs beside this one. It is asked to end (SIGTERM) when this one ends, however that is.
class ChildProcess {
 public:
  /// Starts words[0], looked for in PATH, with everything that it prints going to the log. Without input.
  /// Throws IoError when no process can be made; a program that cannot be started ends with code 127 and says
  /// why.
  ChildProcess(const std::vector<std::string>& words, const LockedLog& log);
  /// Its exit code once it has ended; 128 + N: signal N ended it. None as long as it runs.
  [[nodiscard]] std::optional<int> poll();
  void stop() const;  ///< SIGTERM, to it and what it has started

 private:
  pid_t pid_ = -1;
};

/// Ranks whose processes a launcher (mpiexec, srun) has started together with this one; 1: none.
[[nodiscard]] int launched_ranks();

/// Forgets what an mpiexec above told this process: programs that it starts begin anew.
void forget_launcher();

}  // namespace lightrail
