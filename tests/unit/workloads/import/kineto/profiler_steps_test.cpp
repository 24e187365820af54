#include "workloads/import/kineto/profiler_steps.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"

using namespace lightrail;

namespace {

/// Three steps of 100 us, of a kernel each, that runs when the next step has begun.
ImportOptions three_steps(TraceFolder& folder) {
  KinetoText trace;
  for (int step = 0; step < 3; ++step) {
    const int ts = 100 * step;
    trace.event("user_annotation", "ProfilerStep#" + std::to_string(5 + step), std::to_string(ts), "100", "");
    trace.launch("k" + std::to_string(5 + step), ts + 80, ts + 120, 10, step + 1);
  }
  return {"kineto", {folder.plain("rank0.json", trace.text())}};
}

std::vector<std::string> kernels(const Job& job) {
  std::vector<std::string> names;
  for (const Op& op : program_of(job, 0).ops)
    if (op.kind == OpKind::compute) names.push_back(job.names[op.name]);
  return names;
}

}  // namespace

TEST_CASE("all steps of the profiler are one iteration, and a note says so") {
  TraceFolder folder;
  const Job job = imported(three_steps(folder));
  CHECK(kernels(job) == std::vector<std::string>{"k5", "k6", "k7"});
  REQUIRE(job.notes.size() == 1);
  CHECK_THAT(job.notes[0], Catch::Contains("the profiler's steps 5 to 7 are replayed as one iteration"));
}

TEST_CASE("steps chooses what was launched in them, whenever it ran") {
  TraceFolder folder;
  CHECK(kernels(imported(three_steps(folder).set("steps", "6"))) == std::vector<std::string>{"k6"});
  CHECK(kernels(imported(three_steps(folder).set("steps", "5-6"))) == std::vector<std::string>{"k5", "k6"});
}

TEST_CASE("steps that the trace does not have are refused") {
  TraceFolder folder;
  CHECK(import_refusal(three_steps(folder).set("steps", "6-9")) ==
        "rank0.json: step 9 is not in the trace (it has steps 5 to 7)");
  CHECK(import_refusal(three_steps(folder).set("steps", "7-6")) ==
        "rank0.json: steps '7-6': expected one step or a range, as 2-4");
  CHECK(import_refusal(three_steps(folder).set("steps", "two")) ==
        "rank0.json: steps 'two': expected one step or a range, as 2-4");
  ImportOptions none{"kineto", {folder.plain("r.json", KinetoText().launch("k", 0, 5, 5, 1).text())}};
  CHECK(import_refusal(none.set("steps", "1")) ==
        "r.json: step 1 is not in the trace (no event 'ProfilerStep#...')");
}
