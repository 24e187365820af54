#include "app/cli/check_iterations.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "components/gpu/compute/kernel_variation.hpp"
#include "workloads/program/program.hpp"

using namespace lightrail;

namespace {

Element element(const std::string& name, std::vector<Element> children = {}) {
  Element one;
  one.name = name;
  one.children = std::move(children);
  return one;
}

struct Case {
  std::vector<Element> children = {};  ///< of the scenario, beside its <workload>
  std::function<void(KernelVariation&)> vary = [](KernelVariation&) {};
  std::function<void(ProgramSet&)> change = [](ProgramSet&) {};
};

std::vector<std::string> refusals(const Case& one, std::uint32_t skipped = 10) {
  Scenario scenario;
  scenario.root = element("scenario", one.children);
  scenario.root.children.push_back(element("workload"));
  ProgramSet set;
  set.stepped_iterations.skipped = skipped;
  set.programs.resize(1);
  set.programs[0].ops.resize(2);
  one.change(set);
  Model model;
  model.add(std::make_shared<const ProgramSet>(std::move(set)));
  auto variation = std::make_shared<KernelVariation>();
  one.vary(*variation);
  if (variation->is_on()) model.add<KernelVariation>(std::move(variation));
  ErrorList errors;
  check_stepped_iterations(scenario, model, errors);
  std::vector<std::string> all;
  try {
    errors.throw_if_any();
  } catch (const InputErrors& problem) {
    for (const InputError& error : problem.errors()) all.push_back(error.what);
  }
  return all;
}

}  // namespace

TEST_CASE("iterations that repeat each other may be stepped over") {
  CHECK(refusals({}).empty());
  // Drawn once, and when weeks are played.
  CHECK(refusals(
            {.children = {element("goodput", {element("faults")})},
             .vary = [](KernelVariation& v) { v.spread = 0.1, v.slow[0] = 1.3, v.start_skew = SimTime{5}; },
             .change = [](ProgramSet& set) { set.host.collects_every = 1; }})
            .empty());
}

TEST_CASE("each reason why iterations differ is told") {
  const std::string with = "<workload> step-over=\"iterations\" with ";
  const auto ocs_with_jitter = [](const std::string& mean) {
    Element ocs = element("ocs");
    Attribute jitter;
    jitter.name = "control-jitter", jitter.value = mean;
    ocs.attributes.push_back(jitter);
    return ocs;
  };
  CHECK(refusals({.children = {ocs_with_jitter("0 s")}}).empty());
  const std::vector<std::pair<Case, std::string>> cases{
      {{.children = {element("faults")}}, "<faults>, which come at times of their own"},
      {{.children = {element("graph", {element("ocs", {element("fault")})})}},
       "<fault>, which come at times of their own"},
      {{.children = {element("fabric", {element("schedule")})}},
       "<schedule>, whose circuits change at times of their own"},
      {{.children = {element("fabric", {element("ecn")})}},
       "<ecn>, whose marks are drawn anew in each iteration"},
      {{.children = {element("fabric", {element("watchdog")})}},
       "<watchdog>, whose storms begin and end at times of their own"},
      {{.children = {ocs_with_jitter("1 us")}},
       "<ocs>, with control-jitter, which is drawn anew in each iteration"},
      {{.vary = [](KernelVariation& v) { v.jitter = 0.02; }},
       "<variation> with jitter: no iteration repeats another one"},
      {{.vary = [](KernelVariation& v) { v.noise_interval = SimTime{9}; }},
       "<variation> with noise: no iteration repeats another one"},
      {{.change = [](ProgramSet& set) { set.host.collects_every = 10; }},
       "collect-every = 10: iterations with and without a garbage collection"},
      {{.change = [](ProgramSet& set) { set.programs[0].next = 1; }},
       "a <gate> with over-iterations: every iteration has loads of its own"},
      {{.change = [](ProgramSet& set) { set.programs[0].ops[1].every = 3; }},
       "what takes place in one of 3 iterations (a checkpoint, evaluation; expected: in each)"},
      {{.change = [](ProgramSet& set) { set.programs[0].ops[1].is_once = true; }},
       "what only the first iteration reads (restore)"}};
  for (const auto& [one, why] : cases) {
    CHECK(refusals(one) == std::vector<std::string>{with + why});
    CHECK(refusals(one, 0).empty());
  }
}
