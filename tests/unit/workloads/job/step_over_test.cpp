#include "workloads/job/step_over.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"

using namespace lightrail;

namespace {

MadeJob collective(const std::string& attributes) {
  return make_job_of("<workload kind=\"collective\" collective=\"all-reduce\" from=\"1 MiB\" to=\"1 MiB\" " +
                         attributes + "/>",
                     8);
}

MadeJob training(const std::string& attributes) {
  return make_job_of("<workload kind=\"training\" sequence=\"32\" global-batch=\"32\" " + attributes + ">" +
                         small_model("") + "</workload>",
                     8);
}

}  // namespace

TEST_CASE("what is stepped over has one name, and both together have one") {
  for (const auto& [name, what] : step_over_names()) {
    Element element;
    Attribute attribute;
    attribute.name = "step-over", attribute.value = name;
    element.attributes.push_back(attribute);
    CHECK(step_over_of(element) == what);
    CHECK(has_pipeline(what) == (name.find("pipeline") != std::string::npos));
    CHECK(has_iterations(what) == (name.find("iterations") != std::string::npos));
  }
  CHECK(step_over_of(Element{}) == StepOver::none);
}

TEST_CASE("a job executes the first iterations, two that are compared and the last") {
  for (const MadeJob& made : {collective("iterations=\"100\" step-over=\"iterations\""),
                              training("iterations=\"100\" step-over=\"iterations\"")}) {
    REQUIRE(made.errors == std::vector<std::string>{});
    CHECK(made.job.programs.iterations == 4);
    CHECK(made.job.programs.stepped_iterations.settling == 1);
    CHECK(made.job.programs.stepped_iterations.skipped == 96);
    CHECK(made.job.notes.back().starts_with("96 of 100 iterations are stepped over: "));
  }
  CHECK(collective("iterations=\"9\" step-over=\"iterations\"").job.notes.back() ==
        "5 of 9 iterations are stepped over: steps, exposed, traffic, traffic_matrix, storage's traffic and "
        "power "
        "have all of them; every other table what was simulated (docs/scaling.md)");
  // A step of which a part is left out has no energy.
  CHECK(training("iterations=\"9\" step-over=\"pipeline iterations\"")
            .job.notes.back()
            .starts_with("5 of 9 iterations are stepped over: steps, exposed, traffic and traffic_matrix "
                         "have all of them; "));
  const MadeJob settled = collective("iterations=\"100\" step-over=\"iterations\" settling-iterations=\"7\"");
  CHECK(settled.job.programs.iterations == 10);
  CHECK(settled.job.programs.stepped_iterations.skipped == 90);
}

TEST_CASE("too few iterations are all executed") {
  const MadeJob made = collective("iterations=\"4\" step-over=\"iterations\"");
  CHECK(made.job.programs.iterations == 4);
  CHECK(made.job.programs.stepped_iterations.skipped == 0);
  CHECK(made.job.notes.back() ==
        "step-over=\"iterations\" finds nothing to leave out of 4 iterations (it needs 5)");
  CHECK(collective("iterations=\"9\"").job.programs.iterations == 9);
}

TEST_CASE("what cannot be stepped over is refused with its attribute") {
  CHECK(collective("step-over=\"pipeline\"").errors ==
        std::vector<std::string>{
            "1: <workload> attribute 'step-over': 'pipeline' (only kind 'training' has a pipeline)"});
  CHECK(collective("step-over=\"steps\"")
            .errors.at(0)
            .starts_with("1: <workload> attribute 'step-over': invalid choice 'steps' (one of none, "
                         "pipeline, iterations, pipeline "
                         "iterations"));
  CHECK(training("step-over=\"steps\"")
            .errors.at(0)
            .starts_with("1: <workload> attribute 'step-over': invalid choice 'steps'"));
  CHECK(collective("iterations=\"9\" settling-iterations=\"2\"").errors ==
        std::vector<std::string>{
            "1: <workload> attribute 'settling-iterations': it needs step-over=\"iterations\""});
  CHECK(collective("step-over=\"iterations\" settling-iterations=\"0\"").errors ==
        std::vector<std::string>{
            "1: <workload> attribute 'settling-iterations': '0' is out of range (1 ... 100000)"});
}
