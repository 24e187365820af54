#include "engine/scenario/expand_jobs.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "tests/unit/engine/scenario/scenario_files.hpp"

using namespace lightrail;
using Texts = std::vector<std::string>;

namespace {

constexpr const char* scenario =
    "<scenario name='x'>\n<workload name='first' kind='a'/>\n<jobs file='lists/jobs.csv'>\n"
    "<workload name='small' kind='training' tp='8' iterations='2'><model layers='4'/></workload>\n"
    "<workload name='big' kind='inference'/>\n</jobs>\n<workload name='last' kind='b'/></scenario>";

std::string text_of(const Element& element, const char* attribute) {
  const Attribute* found = element.find(attribute);
  return found ? found->value : "";
}

/// What is said of this list.
Texts complaints(const std::string& list) {
  test::ScenarioFiles files;
  files.write("main.xml", scenario).write("lists/jobs.csv", list);
  return files.errors();
}

}  // namespace

TEST_CASE("each row is a workload of its kind, in the place of the list") {
  test::ScenarioFiles files;
  files.write("main.xml", scenario)
      .write("lists/jobs.csv",
             "# arrivals\nname, workload, gpu-count, gpus, start, iterations\r\n\n"
             "a,small,16,,0 s,\nb,big,,\"0-7,9\",400 ms,\nc,small,8,,1.5 s,7\n");
  const Scenario s = files.load();
  const auto jobs = s.root.children_named("workload");
  REQUIRE(jobs.size() == 5);
  Texts names;
  for (const Element* job : jobs) names.push_back(text_of(*job, "name"));
  CHECK(names == Texts{"first", "a", "b", "c", "last"});
  CHECK(text_of(*jobs[1], "kind") == "training");
  CHECK(text_of(*jobs[1], "gpu-count") == "16");
  CHECK(jobs[1]->find("gpus") == nullptr);  // an empty cell gives nothing
  CHECK(text_of(*jobs[1], "iterations") == "2");
  CHECK(text_of(*jobs[3], "iterations") == "7");  // and one that is not goes before
  CHECK(text_of(*jobs[1], "tp") == "8");
  CHECK(text_of(*jobs[2], "gpus") == "0-7,9");
  CHECK(text_of(*jobs[2], "start") == "400 ms");
  CHECK(jobs[1]->child("model") != nullptr);
  CHECK(jobs[1]->find("workload") == nullptr);
  // A mistake in a row is found there, one of what its workload says there.
  CHECK(jobs[3]->line == 6);
  CHECK(jobs[3]->file == files.folder() + "/lists/jobs.csv");
  CHECK(jobs[3]->find("start")->line == 6);
  CHECK(jobs[3]->find("tp")->line == 4);
  CHECK(s.inputs == Texts{files.folder() + "/main.xml", files.folder() + "/lists/jobs.csv"});
  CHECK(s.root.child("jobs") == nullptr);
  CHECK(s.resolved_xml.find("gpu-count=\"16\"") != std::string::npos);
}

TEST_CASE("mistakes of a list have its file and line") {
  CHECK(complaints("name,gpus\na,0-7\n") ==
        Texts{"DIR/lists/jobs.csv:1: the first line names no column 'workload'"});
  CHECK(complaints("name,workload,start,start\n") == Texts{"DIR/lists/jobs.csv:1: column 'start' twice"});
  CHECK(complaints("name,workload,\n") == Texts{"DIR/lists/jobs.csv:1: a column without a name"});
  CHECK(complaints("name,workload\na,small\nb,big,3\nc\n") ==
        Texts{"DIR/lists/jobs.csv:3: 3 cells, the first line has 2",
              "DIR/lists/jobs.csv:4: 1 cells, the first line has 2"});
  CHECK(
      complaints("name,workload\na,smal\n,big\n") ==
      Texts{"DIR/lists/jobs.csv:2: <jobs> has no workload 'smal' (one of small, big; did you mean 'small'?)",
            "DIR/lists/jobs.csv:3: a job without a name"});
  CHECK(complaints("name,workload\n") == Texts{"DIR/lists/jobs.csv:1: has no row of a job"});
  CHECK(complaints("") == Texts{"DIR/lists/jobs.csv:1: has no row of a job"});
  CHECK(complaints("name,workload\na,big\n") ==
        Texts{"DIR/main.xml:4: no row of 'DIR/lists/jobs.csv' names workload 'small'"});
}

TEST_CASE("mistakes of <jobs> itself") {
  const auto of = [](const std::string& jobs) {
    test::ScenarioFiles files;
    files.write("main.xml", "<scenario>\n" + jobs + "</scenario>").write("a.csv", "name,workload\na,b\n");
    return files.errors();
  };
  CHECK(of("<jobs file='no.csv'><workload name='b'/></jobs>") ==
        Texts{"DIR/main.xml:2: <jobs> attribute 'file': cannot open 'DIR/no.csv'"});
  CHECK(of("<jobs><workload name='b'/></jobs>") ==
        Texts{"DIR/main.xml:2: <jobs> lacks the required attribute 'file'"});
  CHECK(of("<jobs file='a.csv' start='3 s'><workload name='b'/></jobs>") ==
        Texts{"DIR/main.xml:2: <jobs> has no attribute 'start'"});
  CHECK(of("<jobs file='a.csv'/>") == Texts{"DIR/main.xml:2: <jobs> lacks the required element <workload>"});
  CHECK(of("<jobs file='a.csv'><workload/></jobs>") ==
        Texts{"DIR/main.xml:2: <workload> lacks the required attribute 'name' (rows name it)"});
  CHECK(of("<jobs file='a.csv'><job name='b'/></jobs>") ==
        Texts{"DIR/main.xml:2: <jobs> has no element <job> (expected <workload>)"});
}
