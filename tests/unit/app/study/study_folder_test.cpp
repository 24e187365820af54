#include "app/study/study_folder.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/base/error.hpp"

using namespace lightrail;
namespace fs = std::filesystem;

namespace {

struct Study {
  std::string path = (fs::temp_directory_path() / "study_folder_test_XXXXXX").string();
  Study() { REQUIRE(mkdtemp(path.data())); }
  ~Study() { fs::remove_all(path); }
  [[nodiscard]] StudyFolder folder() const { return StudyFolder(path); }
};
void write(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("a run that has ended has its summary, and no failure of before") {
  const Study study;
  const StudyFolder folder = study.folder();
  CHECK(folder.read("a").state == PointRecord::State::not_run);
  folder.make("a");
  write(folder.log("a"), "error: out of memory\nmore\n");
  const PointRecord failed = folder.finish("a", 4);
  CHECK(failed.state == PointRecord::State::failed);
  CHECK(failed.exit_code == 4);
  CHECK(failed.error == "error: out of memory");
  CHECK_FALSE(failed.is_final());
  write(folder.new_summary("a"), "{}");
  CHECK(folder.read("a").state == PointRecord::State::failed);  // the run may still go on
  const PointRecord complete = folder.finish("a", 0);
  CHECK(complete.state == PointRecord::State::complete);
  CHECK(complete.summary == "{}");
  CHECK(complete.is_final());
  CHECK(complete.error.empty());
}

TEST_CASE("a system that fails does so every time, with the summary of its run") {
  const Study study;
  study.folder().make("a");
  write(study.folder().new_summary("a"), R"({"status":"deadlock"})");
  const PointRecord record = study.folder().finish("a", 3);
  CHECK(record.is_final());
  CHECK(record.summary == R"({"status":"deadlock"})");
}

TEST_CASE("a run without its summary is an error of the folder") {
  const Study study;
  study.folder().make("a");
  CHECK_THROWS_AS(study.folder().finish("a", 0), IoError);
  CHECK_THROWS_AS(StudyFolder("/proc/nowhere").make("a"), IoError);
}

TEST_CASE("the reason of a failure is what the log calls errors, else its end") {
  CHECK(reason_in("note: x\nerror: one\nrest\nerror: two\n") == "error: one\nerror: two");
  CHECK(reason_in("") == "");
  std::string log;
  for (int i = 0; i < 30; ++i) log += std::to_string(i) + "\n";
  CHECK(reason_in(log).starts_with("10\n11\n"));
}
