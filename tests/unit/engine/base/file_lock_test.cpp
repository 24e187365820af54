#include "engine/base/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

using namespace lightrail;
using lightrail::test::TemporaryFolder;

TEST_CASE("a file has one lock at a time, and none after its holder's end") {
  const TemporaryFolder folder;
  const std::string file = folder / "x.h5";
  FileLock second;
  {
    FileLock first;
    REQUIRE(first.take_file(file));
    CHECK(std::filesystem::exists(file));
    CHECK_FALSE(second.take_file(file));
  }
  CHECK(second.take_file(file));
}

TEST_CASE("a locked file is read by whoever locks it for reading as HDF5 does") {
  const TemporaryFolder folder;
  const std::string file = folder / "x.h5";
  FileLock lock;
  REQUIRE(lock.take_file(file));
  const int descriptor = ::open(file.c_str(), O_RDONLY);
  CHECK(::flock(descriptor, LOCK_SH | LOCK_NB) == 0);
  ::close(descriptor);
}

TEST_CASE("a lock knows that its file was deleted or replaced, and not that it was written anew") {
  const TemporaryFolder folder;
  const std::string file = folder / "x.h5";
  FileLock lock;
  CHECK(lock.is_in_place());
  REQUIRE(lock.take_file(file));
  std::ofstream(file, std::ios::trunc) << "new";
  CHECK(lock.is_in_place());
  std::filesystem::remove(file);
  CHECK_FALSE(lock.is_in_place());
  std::ofstream(file) << "another one's";
  CHECK_FALSE(lock.is_in_place());
}

TEST_CASE("a folder has one lock at a time") {
  const TemporaryFolder folder;
  const std::string path = folder / ".";
  FileLock second;
  {
    FileLock first;
    REQUIRE(first.take_folder(path));
    CHECK_FALSE(second.take_folder(path));
  }
  CHECK(second.take_folder(path));
}

TEST_CASE("what cannot be opened is left to whoever writes it") {
  FileLock lock;
  CHECK(lock.take_file("/nowhere/x.h5"));
  CHECK(lock.take_folder("/nowhere"));
  CHECK(lock.is_in_place());
}
