#include "workloads/import/kineto/one_rank.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"
#include "workloads/program/check.hpp"

using namespace lightrail;

namespace {

std::string args(const std::string& name, const std::string& ranks, const std::string& more = "") {
  return R"("Collective name": ")" + name +
         R"(", "dtype": "Half", "In msg nelems": 8, "Out msg nelems": 8, )" +
         R"("Process Group Name": "tp", "Process Group Ranks": ")" + ranks + "\"" + more;
}

ImportOptions one(TraceFolder& folder, const std::string& arguments,
                  const std::string& kernel = "ncclDevKernel_AllReduce_Sum_f16_RING_LL", int rank = 5) {
  return ImportOptions{"kineto",
                       {folder.plain("r.json", KinetoText(rank, 8)
                                                   .launch("a", 80, 90, 5, 1)
                                                   .launch(kernel, 100, 110, 5, 2, 20, arguments)
                                                   .text())}}
      .set("others", "same");
}

/// "" or what a check of the programs finds.
std::string problem(const Job& job) {
  GroupTable groups;
  for (const auto& kind : job.groups) groups.add(kind, job.gpu_count);
  ErrorList errors;
  check_programs(job.programs, groups, job.names, {}, errors);
  try {
    errors.throw_if_any();
  } catch (const InputErrors& found) {
    return to_string(found.errors()[0]);
  }
  return "";
}

}  // namespace

TEST_CASE("one rank stands for all: each does the same in its own group, and a note says so") {
  TraceFolder folder;
  const Job job = imported(one(folder, args("allreduce", "[1, 5]")));
  CHECK(job.gpu_count == 8);
  CHECK(job.programs.programs.size() == 1);
  REQUIRE(job.groups.size() == 1);
  CHECK(job.groups[0].name == "tp");
  CHECK(job.groups[0].digits[0].count == 2);
  CHECK(job.groups[0].digits[0].stride == 4);
  REQUIRE(job.notes.size() == 1);
  CHECK_THAT(job.notes[0], Catch::EndsWith("r.json: the other 7 ranks are taken to do what rank 5 did"));
  CHECK(problem(job) == "");
}

TEST_CASE("what a rank gives the k-th next member every rank gives its k-th next one") {
  TraceFolder folder;
  const Job job = imported(one(folder,
                               args("all_to_allv", "[4, 5, 6, 7]",
                                    R"(, "In split size": "[1, 4, 3, 0]", "Out split size": "[2, 4, 2, 0]")"),
                               "ncclDevKernel_SendRecv"));
  const Op& op = program_of(job, 0).ops.back();
  // Member 1 keeps 4, gives 3 to the next, 0 to the one after it, 1 to member 0; elements of 2 bytes.
  CHECK(job.programs.splits[op.split].bytes ==
        std::vector<std::int64_t>{8, 6, 0, 2, 2, 8, 6, 0, 0, 2, 8, 6, 6, 0, 2, 8});
  CHECK(op.bytes == 16);
  CHECK(job.notes.size() == 2);
  CHECK(problem(job) == "");
}

TEST_CASE("a rank whose others cannot do the same is refused") {
  TraceFolder folder;
  CHECK(import_refusal(one(folder, args("allreduce", "[0, 1, 5]"))) ==
        "r.json: process group 'tp' of 3 ranks is no regular part of 8 ranks: nothing says who the others' "
        "are");
  CHECK_THAT(
      import_refusal(one(folder, args("send", "[4, 5]", R"(, "Dst Rank": 4)"), "ncclDevKernel_SendRecv")),
      Catch::StartsWith("r.json: rank 5 sends what it does not receive from the other side"));
  ImportOptions two = one(folder, args("allreduce", "[1, 5]"));
  two.files.push_back(folder.plain("s.json", "{}"));
  CHECK(import_refusal(two) == "s.json: others=\"same\" takes the trace of one rank");
  CHECK(import_refusal(one(folder, args("allreduce", "[1, 5]")).set("ranks", "4")) ==
        "r.json: rank 5 of 4 ranks");
}
