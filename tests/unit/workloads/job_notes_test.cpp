#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/job_notes.hpp"

using namespace lightrail;

namespace {

std::vector<std::int64_t> numbers(const ModelNotes& notes, const std::string& path, const std::string& name) {
  for (const auto& folder : notes.folders)
    for (const auto& column : folder.columns)
      if (folder.path == path && column.name == name)
        return std::get<std::vector<std::int64_t>>(column.values);
  return {-1};
}

}  // namespace

TEST_CASE("the notes say which job has which GPUs, in its own order") {
  const MadeSeveral several = make_jobs_of(R"(
    <workload name="late" kind="collective" collective="all-reduce" from="1 MB" to="1 MB" gpus="3,1" start="2 ns"/>
    <workload name="early" kind="collective" collective="all-reduce" from="1 MB" to="1 MB" gpu-count="1" iterations="4"/>)",
                                           5);
  REQUIRE(several.errors.empty());
  const Job& job = several.made.job;
  GroupTable groups;
  for (const GroupKind& kind : job.groups) groups.add(kind, job.gpu_count);
  ModelNotes notes = notes_of(groups, job.programs);
  CHECK(notes.jobs.empty());
  add_jobs(several.made.placed, job.programs, notes);
  CHECK(notes.jobs == std::vector<std::string>{"late", "early"});
  CHECK(notes.job_of_gpu == std::vector<std::uint32_t>{1, 0, no_job, 0, no_job});
  CHECK(numbers(notes, "jobs", "t_start_ps") == std::vector<std::int64_t>{2000, 0});
  CHECK(numbers(notes, "jobs", "iterations") == std::vector<std::int64_t>{1, 4});
  CHECK(numbers(notes, "jobs/gpus", "job") == std::vector<std::int64_t>{0, 0, 1});
  CHECK(numbers(notes, "jobs/gpus", "gpu") == std::vector<std::int64_t>{3, 1, 0});
}
