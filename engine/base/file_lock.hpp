#pragma once
#include <string>

namespace lightrail {

/// A file or folder that one run alone may write. Held until the object ends, also by a process that is
/// killed; readers, HDF5's among them, are not kept out. On a file system without locks it is taken all the
/// same.
class FileLock {
 public:
  FileLock() = default;
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// False: another run has it. A file that is not there is made; what cannot be opened is left to whoever
  /// writes it.
  [[nodiscard]] bool take_file(const std::string& path);
  /// The same of a folder, which must be there.
  [[nodiscard]] bool take_folder(const std::string& path);
  /// Whether `path` is still what was locked; true where nothing could be opened.
  [[nodiscard]] bool is_in_place() const;

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace lightrail
