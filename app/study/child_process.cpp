#include "app/study/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "engine/base/error.hpp"

extern char** environ;

namespace lightrail {
namespace {

[[noreturn]] void become(const std::vector<std::string>& words, int log, pid_t parent) {
  // A group of its own: Ctrl-C reaches the parent alone, which tells its children once.
  setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) ::signal(signal, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(128 + SIGTERM);  // it ended before the line above
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO), dup2(log, STDOUT_FILENO), dup2(log, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  dprintf(STDERR_FILENO, "error: cannot start '%s' (%s)\n", arguments[0], std::strerror(errno));
  _exit(127);
}

}  // namespace

LockedLog::LockedLog(const std::string& path)
    : file_(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (file_ < 0) throw IoError(fmt::format("cannot write '{}' ({})", path, std::strerror(errno)));
  // On a file system without locks it is taken all the same.
  is_held_ = flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

LockedLog::~LockedLog() {
  if (file_ >= 0) close(file_);
}

LockedLog::LockedLog(LockedLog&& other) noexcept
    : file_(std::exchange(other.file_, -1)), is_held_(other.is_held_) {}

void LockedLog::clear() const {
  if (ftruncate(file_, 0) != 0) throw IoError(fmt::format("cannot empty a log ({})", std::strerror(errno)));
}

ChildProcess::ChildProcess(const std::vector<std::string>& words, const LockedLog& log) {
  const pid_t parent = getpid();
  // A signal that comes before the child has shed this process's handlers waits until it has.
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  pid_ = fork();
  if (pid_ == 0) become(words, log.file(), parent);
  const int reason = errno;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (pid_ < 0) throw IoError(fmt::format("cannot start a process ({})", std::strerror(reason)));
  setpgid(pid_, pid_);  // here too: whoever of the two is first
}

std::optional<int> ChildProcess::poll() {
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void ChildProcess::stop() const {
  kill(-pid_, SIGTERM);
}

int launched_ranks() {
  int ranks = 1;
  for (const char* name : {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* given = std::getenv(name)) ranks = std::max(ranks, std::atoi(given));
  return ranks;
}

void forget_launcher() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    for (const std::string_view prefix : {"PMI_", "PMIX_", "OMPI_", "HYD"})
      if (text.starts_with(prefix)) names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) unsetenv(name.c_str());
}

}  // namespace lightrail
