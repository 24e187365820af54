#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/make_jobs.hpp"

using namespace lightrail;
using Errors = std::vector<std::string>;

namespace {

/// A job of one all-reduce.
std::string job(const std::string& attributes) {
  return R"(<workload kind="collective" collective="all-reduce" from="1 MB" to="1 MB" )" + attributes +
         "/>\n";
}

std::string training(const std::string& attributes) {
  return R"(<workload kind="training" global-batch="8" sequence="64" )" + attributes + ">" + small_model("") +
         "</workload>\n";
}

std::string inference(const std::string& attributes) {
  return R"(<workload kind="inference" )" + attributes + ">" + small_model("") +
         R"(<requests rate="10" count="2" prompt="100" output="2"/></workload>)" + "\n";
}

}  // namespace

TEST_CASE("one workload without a name has all GPUs, as ever") {
  const MadeSeveral alone = make_jobs_of(job(""), 4);
  REQUIRE(alone.errors == Errors{});
  CHECK(alone.made.placed.empty());
  CHECK(alone.made.job.programs.jobs.empty());
  CHECK(alone.made.job.groups.at(0).name == "world");
}

TEST_CASE("lists are taken before numbers of GPUs are placed") {
  const MadeSeveral several =
      make_jobs_of(job(R"(name="a" gpu-count="4")") + job(R"(name="b" gpus="0-2,9")"), 16);
  REQUIRE(several.errors == Errors{});
  REQUIRE(several.made.placed.size() == 2);
  CHECK(several.made.placed[0].gpus == std::vector<std::uint32_t>{3, 4, 5, 6});
  CHECK(several.made.placed[1].gpus == std::vector<std::uint32_t>{0, 1, 2, 9});
}

TEST_CASE("a list of a job is no list of its kind") {
  const MadeSeveral several = make_jobs_of(training(R"(name="a" gpus="8-11" tp="2")"), 16);
  REQUIRE(several.errors == Errors{});
  CHECK(several.made.job.groups.at(1).listed.at(1).at(0) == EndpointId{10});
}

TEST_CASE("groups stand in the workload that uses them, in its own numbers") {
  const std::string own =
      R"(<workload name="a" gpus="4-7" kind="explicit"><groups><group name="odd"><members gpus="1,3"/>
</group></groups><program gpus="1,3"><op kind="collective" collective="all-reduce" group="odd" size="1 kB"/></program></workload>)";
  const MadeSeveral several = make_jobs_of(own, 8);
  REQUIRE(several.errors == Errors{});
  CHECK(several.made.job.groups.at(1).name == "a.odd");
  CHECK(several.made.job.groups.at(1).listed.at(0) == std::vector<EndpointId>{EndpointId{5}, EndpointId{7}});
  CHECK(make_jobs_of(R"(<groups><group name="g" count="2"/></groups>)" + own, 8).errors.at(0) ==
        "1: where jobs have names, <groups> belongs into the <workload> that uses it");
}

TEST_CASE("a job that is not active keeps its GPUs and does nothing") {
  const MadeSeveral several =
      make_jobs_of(job(R"(name="a" gpu-count="4" active="off")") + job(R"(name="b" gpu-count="2")"), 8);
  REQUIRE(several.errors == Errors{});
  CHECK(several.made.placed[1].gpus == std::vector<std::uint32_t>{4, 5});
  const ProgramSet& set = several.made.job.programs;
  CHECK(set.programs.at(set.program_of_gpu[0]).ops.empty());
  CHECK_FALSE(set.programs.at(set.program_of_gpu[4]).ops.empty());
}

TEST_CASE("inference beside training is moved to its GPUs, its requests to its start") {
  const MadeSeveral several =
      make_jobs_of(training(R"(name="a" gpus="0-3")") +
                       inference(R"(name="b" gpus="4-7" replicas="2" tp="2" start="1 s")"),
                   8);
  REQUIRE(several.errors == Errors{});
  REQUIRE(several.made.serving);
  const ServingPlan& plan = *several.made.serving;
  const ProgramSet& set = several.made.job.programs;
  CHECK_FALSE(plan.serves(EndpointId{3}));
  CHECK(plan.serves(EndpointId{4}));
  CHECK(plan.serves(EndpointId{7}));
  CHECK(plan.requests.at(0).arrival >= milliseconds(1000));
  CHECK(plan.unit_of_shape.size() == set.shapes.size());
  const std::uint32_t program = set.program_of_gpu[4];
  REQUIRE(plan.programs.size() > program);
  CHECK(plan.programs[program].unit_of_op.size() == set.programs[program].ops.size());
  const MadeSeveral alone = make_jobs_of(inference(R"(replicas="2" tp="2")"), 4);
  REQUIRE(alone.errors == Errors{});
  const std::uint32_t first = several.made.placed[1].first_shape;
  CHECK(std::vector<BatchUnit>(plan.unit_of_shape.begin() + first, plan.unit_of_shape.end()) ==
        alone.made.serving->unit_of_shape);
}

TEST_CASE("what does not go together is refused") {
  const std::string a = job(R"(name="a" gpus="0-3")");
  CHECK(make_jobs_of(a + job(R"(name="b" gpus="3-5")"), 8).errors ==
        Errors{"2: <workload> attribute 'gpus': gpu 3 belongs to job 'a'"});
  CHECK(make_jobs_of(a + job(R"(name="b" gpus="5,5")"), 8).errors ==
        Errors{"2: <workload> attribute 'gpus': gpu 5 twice"});
  CHECK(make_jobs_of(a + job(R"(name="a" gpus="5")"), 8).errors ==
        Errors{"2: <workload> attribute 'name': another job is called 'a'"});
  CHECK(make_jobs_of(a + job(R"(name="a.b" gpus="5")"), 8).errors ==
        Errors{"2: <workload> attribute 'name': 'a.b' (letters, digits, '-' and '_')"});
  CHECK(make_jobs_of(a + job(R"(gpus="5")"), 8).errors ==
        Errors{"2: <workload> needs a 'name' beside other jobs, and where it has a place or start"});
  CHECK(make_jobs_of(a + job(R"(name="b")"), 8).errors ==
        Errors{"2: <workload> of a job needs 'gpus' or 'gpu-count', one of them"});
  CHECK(make_jobs_of(a + job(R"(name="b" gpu-count="5")"), 8).errors ==
        Errors{"2: <workload> attribute 'gpu-count': 5 GPUs are not there: 4 of 8 are free"});
  CHECK(make_jobs_of(a + job(R"(name="b" gpus="5" placement="random")"), 8).errors ==
        Errors{"2: <workload> attribute 'placement': 'gpus' says which GPUs the job has"});
  CHECK(
      make_jobs_of(a + inference(R"(name="b" gpus="5,4" tp="2")"), 8).errors ==
      Errors{"2: <workload> attribute 'gpus': inference needs GPUs that follow each other (gpu 4 comes after "
             "gpu 5)"});
  CHECK(make_jobs_of(inference(R"(name="a" gpus="0")") + inference(R"(name="b" gpus="1")"), 8).errors ==
        Errors{"2: a second job of inference (there is one scheduler)"});
}

TEST_CASE("a mistake is put at the workload that it names") {
  const Scenario scenario = scenario_of("\n" + job(R"(name="a")") + job(R"(name="ab")"));
  CHECK(workload_named_in("op 3 of program 'ab.stage 0': too late", scenario.root)->line == 3);
  CHECK(workload_named_in("group 'a.tp' disagrees", scenario.root)->line == 2);
  CHECK(workload_named_in("no name", scenario.root)->line == 2);
  const Scenario idle = scenario_of("");
  CHECK(workload_named_in("'a.tp'", idle.root) == nullptr);
}
