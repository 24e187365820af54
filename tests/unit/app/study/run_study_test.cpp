#include "app/study/run_study.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace lightrail;
namespace fs = std::filesystem;

namespace {

/// Plays lightrail: fails as its setting says, and otherwise writes a summary; keeps count of its calls.
constexpr const char* program = R"(#!/bin/sh
while [ $# -gt 1 ]; do
  case $1 in --summary) summary=$2;; --set) setting=$2;; esac
  shift
done
echo "$setting" >> calls
case $setting in
  code=0) echo '{}' > "$summary";;
  code=flaky) [ -e tried ] && echo '{}' > "$summary" || { touch tried; exit 4; };;
  *) echo "error: as told"; exit "${setting#code=}";;
esac
)";

struct Bed {
  std::string path = (fs::temp_directory_path() / "run_study_test_XXXXXX").string();
  StudyPlan plan;
  Bed() {
    REQUIRE(mkdtemp(path.data()));
    const std::string script = path + "/program";
    std::ofstream(script) << "cd " << path << "\n" << program;
    plan.program = script, plan.scenario = "s.xml", plan.launch = {"sh"}, plan.jobs = 2;
  }
  ~Bed() { fs::remove_all(path); }
  [[nodiscard]] StudyFolder folder() const { return StudyFolder(path + "/study"); }
  [[nodiscard]] int run(const std::vector<StudyPoint>& points) const {
    StudyProgress quiet(false, true);
    return run_study(plan, points, folder(), quiet);
  }
  [[nodiscard]] int calls() const {
    std::ifstream in(path + "/calls");
    int count = 0;
    for (std::string line; std::getline(in, line);) ++count;
    return count;
  }
};
StudyPoint point(std::size_t number, const std::string& code) {
  return {number, {"code=" + code}, "key" + code, ""};
}

}  // namespace

TEST_CASE("a point is told its files, then the options, then its settings") {
  StudyPlan plan;
  plan.program = "lightrail", plan.scenario = "s.xml", plan.launch = {"mpiexec", "-n", "2"};
  plan.options = {"--set", "a=1"};
  CHECK(run_words(plan, {3, {"b=2 m"}, "k", ""}, StudyFolder("f")) ==
        std::vector<std::string>{"mpiexec",
                                 "-n",
                                 "2",
                                 "lightrail",
                                 "run",
                                 "s.xml",
                                 "--progress",
                                 "none",
                                 "--resume",
                                 "auto",
                                 "--out",
                                 "f/points/k/result.h5",
                                 "--summary",
                                 "f/points/k/new_summary.json",
                                 "--checkpoint",
                                 "f/points/k/checkpoint",
                                 "--set",
                                 "a=1",
                                 "--set",
                                 "b=2 m"});
}

TEST_CASE("weeks of a job of which nothing is simulated are no run to go on with") {
  StudyPlan plan;
  plan.program = "lightrail", plan.scenario = "s.xml";
  const std::vector<std::string> words =
      run_words(plan, {0, {}, "k", "", "goodput", false}, StudyFolder("f"));
  CHECK(words[1] == "goodput");
  CHECK(std::count(words.begin(), words.end(), "--resume") == 0);
}

TEST_CASE("what has a final record is not run again, what failed by chance is") {
  const Bed bed;
  const std::vector<StudyPoint> points{point(0, "0"), point(1, "3"), point(2, "4"), point(3, "0")};
  CHECK(bed.run(points) == 4);
  CHECK(bed.calls() == 3);  // points 0 and 3 are one run
  CHECK(bed.folder().read("key3").error == "error: as told");
  CHECK(bed.run(points) == 4);
  CHECK(bed.calls() == 4);
  CHECK(bed.run({points[0]}) == 0);
  CHECK(bed.calls() == 4);
}

TEST_CASE("a run that may end otherwise is tried again as often as was asked for") {
  Bed bed;
  bed.plan.retries = 1;
  CHECK(bed.run({point(0, "flaky"), point(1, "3")}) == 3);
  CHECK(bed.calls() == 3);
  CHECK(bed.folder().read("keyflaky").state == PointRecord::State::complete);
}

TEST_CASE("a point whose run was stopped has no failure and is run with the next call") {
  const Bed bed;
  CHECK(bed.run({point(0, "75")}) == 75);
  CHECK(bed.folder().read("key75").state == PointRecord::State::not_run);
  CHECK(bed.run({point(0, "75")}) == 75);
  CHECK(bed.calls() == 2);
}

TEST_CASE("a point that has no key fails by its mistake, and the others run") {
  const Bed bed;
  CHECK(bed.run({{0, {"code=x"}, "", "error: s.xml:1: no"}, point(1, "0")}) == 2);
  CHECK(bed.calls() == 1);
}
