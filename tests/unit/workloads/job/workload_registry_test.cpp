#include "workloads/job/workload_registry.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "workloads/registry.hpp"

namespace lightrail {
namespace {

struct NapSpec {
  SimTime duration{1};
  std::uint32_t naps = 0;
};

SimTime napped{};

std::shared_ptr<const WorkloadKind> nap_kind() {
  auto kind = workload_kind("nap", "Nobody does anything.", nullptr);
  Describe<NapSpec> table;
  table.required("duration", &NapSpec::duration, "of a nap")
      .field("naps", &NapSpec::naps, "how many", 1u, 9u);
  bind_workload<NapSpec>(*kind, table, [](WorkloadContext&, const NapSpec& spec) { napped = spec.duration; });
  return kind;
}

Element workload(std::initializer_list<std::pair<const char*, const char*>> attributes) {
  Element element;
  element.name = "workload";
  element.file = "s.xml";
  element.line = 1;
  for (const auto& [name, value] : attributes) element.attributes.push_back({name, value, "s.xml", 2, false});
  return element;
}

/// The first mistake that the kind finds in the element; "" when it makes its job.
std::string made_by(const WorkloadKind& kind, const Element& element) {
  const Scenario scenario;
  const AlgorithmRegistry algorithms;
  JobBuilder job(1);
  ErrorList errors;
  WorkloadContext context{
      .element = element, .scenario = scenario, .algorithms = algorithms, .job = job, .errors = errors};
  kind.make(context);
  try {
    errors.throw_if_any();
  } catch (const InputErrors& problem) {
    return to_string(problem.errors().front());
  }
  return "";
}

}  // namespace

TEST_CASE("a <workload> finds its kind by name; none, another one and no workload find nothing") {
  const WorkloadRegistry all = built_in_workloads();
  const Element training = workload({{"kind", "training"}}), nap = workload({{"kind", "nap"}}),
                none = workload({});
  REQUIRE(all.of(&training));
  CHECK(all.of(&training)->name == "training");
  CHECK(!all.of(&nap));
  CHECK(!all.of(&none));
  CHECK(!all.of(nullptr));
}

TEST_CASE("a kind of a plugin becomes a choice, its parameters a part of <workload>") {
  WorkloadRegistry all = built_in_workloads();
  all.add(nap_kind());
  CHECK(all.names().back() == "nap");
  CHECK(all.common_parameters().front().choices == all.names());
  const auto parameters = all.all_parameters(AlgorithmRegistry{});
  std::set<std::string> names;
  for (const ParameterDoc& parameter : parameters) names.insert(parameter.name);
  CHECK(names.size() == parameters.size());
  CHECK(names.contains("naps"));
  CHECK(names.contains("global-batch"));
  // What one kind needs, others do not have.
  for (const ParameterDoc& parameter : parameters) CHECK(parameter.is_required == (parameter.name == "kind"));
}

TEST_CASE("a name that is taken is refused") {
  WorkloadRegistry all = built_in_workloads();
  all.add(nap_kind());
  CHECK_THROWS_WITH(all.add(nap_kind()), Catch::Matchers::Contains("two kinds of workload are called 'nap'"));
}

TEST_CASE("a bound kind makes its job from what was read, and none from mistakes") {
  const auto kind = nap_kind();
  CHECK(made_by(*kind, workload({{"duration", "3 ns"}})) == "");
  CHECK(napped == nanoseconds(3));
  CHECK(made_by(*kind, workload({{"duration", "5 ns"}, {"naps", "10"}})) ==
        "s.xml:2: <workload> attribute 'naps': '10' is out of range (1 ... 9)");
  CHECK(made_by(*kind, workload({})) == "s.xml:1: <workload> lacks the required attribute 'duration'");
  CHECK(napped == nanoseconds(3));
}

TEST_CASE("every built-in kind has a sentence; benchmarks and schedulers are of the kinds that have them") {
  const WorkloadRegistry all = built_in_workloads();
  for (const auto& kind : all.kinds()) {
    INFO(kind->name);
    CHECK(kind->doc.size() > 20);
    CHECK(kind->is_benchmark == (kind->name == "collective"));
    CHECK(kind->needs_scheduler == (kind->name == "inference"));
  }
}

}  // namespace lightrail
