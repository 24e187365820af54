#include "workloads/restart/restart_spec.hpp"

#include <catch2/catch.hpp>

#include "engine/scenario/element.hpp"

using namespace lightrail;

TEST_CASE("a restart that is simulated takes the times that weeks of a job take") {
  const RestartSpec weeks;
  const RestartStages stages = JobRestartSpec{}.stages();
  CHECK(stages.detection == weeks.detection);
  CHECK(stages.replacement == weeks.replacement);
  CHECK(stages.rendezvous == weeks.rendezvous);
  CHECK(stages.init == weeks.init);
  CHECK(stages.init_per_gpu == weeks.init_per_gpu);
  CHECK(stages.warm_up == weeks.warm_up);
}

TEST_CASE("what is given replaces the defaults") {
  Element element;
  element.name = "restart";
  element.set("detection", "5 ms");
  element.set("warm-up", "0 s");
  element.set("spares", "3-4");
  JobRestartSpec spec;
  ErrorList errors;
  job_restart_parameters().parse(element, spec, errors);
  CHECK(errors.is_empty());
  CHECK(spec.stages().detection == milliseconds(5));
  CHECK(spec.stages().warm_up == SimTime{0});
  CHECK(spec.spares == "3-4");
}
