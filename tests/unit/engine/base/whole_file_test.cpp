#include "engine/base/whole_file.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

#include "engine/base/error.hpp"

using namespace lightrail;

namespace {

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("lightrail_whole_file_" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directory(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

}  // namespace

TEST_CASE("a file is replaced as a whole, and nothing is left beside it") {
  const Folder folder;
  const std::string path = folder.path / "a.csv";
  write_whole(path, "first, and longer\n");
  write_whole(path, std::string("a\0b\r\n", 5));
  CHECK(read_whole(path) == std::string("a\0b\r\n", 5));
  CHECK_FALSE(std::filesystem::exists(path + ".part"));
}

TEST_CASE("a file that is not there reads as empty, one that cannot be written is named") {
  const Folder folder;
  CHECK(read_whole(folder.path / "none").empty());
  const std::string path = folder.path / "no/such/folder.csv";
  CHECK_THROWS_WITH(write_whole(path, ""), "cannot write '" + path + "'");
  CHECK_THROWS_AS(write_whole(path, ""), IoError);
}
