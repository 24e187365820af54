#include "app/study/child_process.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/error.hpp"

using namespace lightrail;

namespace {

int wait_for(ChildProcess process) {
  for (;;) {
    if (const auto code = process.poll()) return *code;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}
std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}
struct Folder {
  std::string path = (std::filesystem::temp_directory_path() / "child_process_test_XXXXXX").string();
  Folder() { REQUIRE(mkdtemp(path.data())); }
  ~Folder() { std::filesystem::remove_all(path); }
};

}  // namespace

TEST_CASE("a child's exit code, output and lack of input") {
  const Folder folder;
  const LockedLog log(folder.path + "/log.txt");
  REQUIRE(log.is_held());
  CHECK(wait_for(ChildProcess({"sh", "-c", "cat; echo out; echo err >&2; exit 7"}, log)) == 7);
  CHECK(text_of(folder.path + "/log.txt") == "out\nerr\n");
  log.clear();
  CHECK(wait_for(ChildProcess({"sh", "-c", "kill -9 $$"}, log)) == 128 + 9);
  CHECK(wait_for(ChildProcess({"no-such-program"}, log)) == 127);
  CHECK(text_of(folder.path + "/log.txt") ==
        "error: cannot start 'no-such-program' (No such file or directory)\n");
}

TEST_CASE("a child that is stopped ends with what it has started") {
  const Folder folder;
  const LockedLog log(folder.path + "/log.txt");
  ChildProcess process({"sh", "-c", "sleep 600; true"}, log);
  process.stop();
  CHECK(wait_for(process) == 128 + 15);
}

TEST_CASE("a log is held once, and by a child beyond the end of who took it") {
  const Folder folder;
  const std::string path = folder.path + "/log.txt";
  std::optional<ChildProcess> child;
  {
    const LockedLog log(path);
    CHECK_FALSE(LockedLog(path).is_held());
    child.emplace(
        std::vector<std::string>{"sh", "-c", "while [ ! -e " + folder.path + "/end ]; do sleep 0.01; done"},
        log);
  }
  CHECK_FALSE(LockedLog(path).is_held());
  std::ofstream(folder.path + "/end") << "";
  CHECK(wait_for(*child) == 0);
  CHECK(LockedLog(path).is_held());
}

TEST_CASE("a log in no folder is an error") {
  CHECK_THROWS_AS(LockedLog("/nowhere/log.txt"), IoError);
}

TEST_CASE("ranks that were started together are told by the environment, and forgotten") {
  unsetenv("SLURM_STEP_NUM_TASKS");
  forget_launcher();
  CHECK(launched_ranks() == 1);
  setenv("PMI_SIZE", "4", 1);
  setenv("PMI_RANK", "1", 1);
  CHECK(launched_ranks() == 4);
  forget_launcher();
  CHECK(launched_ranks() == 1);
  CHECK(std::getenv("PMI_RANK") == nullptr);
}
