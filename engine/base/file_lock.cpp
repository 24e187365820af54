#include "engine/base/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace lightrail {
namespace {

// One byte that no file has: MPI-IO locks the bytes that it writes, and HDF5's readers whole files by flock.
constexpr off_t far_away = off_t{1} << 62;

/// False: another process holds it. Anything else that goes wrong says that there are no locks here.
bool lock_byte(int descriptor) {
  struct flock one {};
  one.l_type = F_WRLCK;
  one.l_whence = SEEK_SET;
  one.l_start = far_away;
  one.l_len = 1;
  return ::fcntl(descriptor, F_OFD_SETLK, &one) == 0 || (errno != EAGAIN && errno != EACCES);
}

}  // namespace

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool FileLock::take_file(const std::string& path) {
  if (descriptor_ >= 0) ::close(descriptor_);
  path_ = path;
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  return descriptor_ < 0 || lock_byte(descriptor_);
}

bool FileLock::take_folder(const std::string& path) {
  if (descriptor_ >= 0) ::close(descriptor_);
  path_ = path;
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

bool FileLock::is_in_place() const {
  struct stat held {
  }, there{};
  if (descriptor_ < 0 || ::fstat(descriptor_, &held) != 0) return true;
  return ::stat(path_.c_str(), &there) == 0 && held.st_ino == there.st_ino && held.st_dev == there.st_dev;
}

}  // namespace lightrail
