#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "workloads/job/transform_job.hpp"

using namespace lightrail;

namespace {

/// One program with a kernel of each class, a CPU span and a copy, 1000 ps each.
Job job_of_all_classes() {
  JobBuilder builder(1);
  Program program;
  for (const char* name : {"cublas_gemm", "flash_fwd", "layer_norm", "Memcpy DtoH", "ncclDevKernel_x"}) {
    Op op = make_op(OpKind::compute, program, "compute", builder, name);
    op.duration = picoseconds(1000);
    append(program, op);
  }
  for (OpKind kind : {OpKind::host, OpKind::host_copy}) {
    Op op = make_op(kind, program, "host", builder, "cublas_gemm");
    op.duration = picoseconds(1000);
    append(program, op);
  }
  builder.assign(0, builder.program(program));
  return builder.take();
}

std::vector<std::int64_t> durations_ps(const Job& job) {
  std::vector<std::int64_t> all;
  for (const Op& op : job.programs.programs[0].ops) all.push_back(op.duration.count());
  return all;
}

/// A job of four GPUs, program g on GPU g, with pairs 0-1 and 2-3 and the list 1, 3.
Job job_of_four() {
  JobBuilder builder(4);
  GroupKind pairs;
  pairs.name = "pairs";
  pairs.digits = {{2, 1}};
  builder.group(pairs);
  GroupKind odd;
  odd.name = "odd";
  odd.listed = {{EndpointId{1}, EndpointId{3}}};
  builder.group(odd);
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    Program program;
    program.role = "rank " + std::to_string(gpu);
    builder.assign(gpu, builder.program(program));
  }
  builder.job().capture.ranks.resize(4);
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) builder.job().capture.ranks[gpu].gpu = gpu;
  return builder.take();
}

std::string refusal(Job job, const std::vector<std::uint32_t>& placement, std::uint32_t gpus) {
  try {
    place_job(job, placement, gpus);
    return "";
  } catch (const InputErrors& problem) {
    return problem.errors().at(0).what;
  }
}

using Lists = std::vector<std::vector<EndpointId>>;

Lists lists(const std::vector<std::vector<std::uint32_t>>& numbers) {
  Lists all;
  for (const auto& list : numbers) {
    auto& made = all.emplace_back();
    for (std::uint32_t number : list) made.emplace_back(number);
  }
  return all;
}

}  // namespace

TEST_CASE("each class of kernels is scaled by its own factor; copies and collectives stay") {
  Job job = job_of_all_classes();
  KernelScale scale;
  scale.gemm = 0.5, scale.attention = 2, scale.memory_bound = 3, scale.host = 0.25;
  scale_job(job, scale);
  CHECK(durations_ps(job) == std::vector<std::int64_t>{500, 2000, 3000, 1000, 1000, 250, 1000});
}

TEST_CASE("a kernel that is scaled takes at least a picosecond, a CPU span may take none") {
  Job job = job_of_all_classes();
  KernelScale scale;
  scale.gemm = 1e-9, scale.host = 0;
  scale_job(job, scale);
  CHECK(durations_ps(job) == std::vector<std::int64_t>{1, 1000, 1000, 1000, 1000, 0, 1000});
}

TEST_CASE("a kernel that is timed from its shape stays without a duration") {
  Job job = job_of_all_classes();
  job.programs.programs[0].ops[0].duration = picoseconds(0);
  KernelScale scale;
  scale.gemm = 2;
  scale_job(job, scale);
  CHECK(durations_ps(job)[0] == 0);
}

TEST_CASE("a job that is placed moves its programs, groups and captured ranks") {
  Job job = job_of_four();
  place_job(job, {5, 0, 3, 1}, 6);
  CHECK(job.gpu_count == 6);
  // GPUs 2 and 4 get the idle program, which comes last.
  CHECK(job.programs.program_of_gpu == std::vector<std::uint32_t>{1, 3, 4, 2, 4, 0});
  CHECK(job.programs.programs.at(4).role == "idle");
  CHECK(job.groups[0].digits.empty());
  CHECK(job.groups[0].listed == lists({{5, 0}, {3, 1}}));
  CHECK(job.groups[1].listed == lists({{0, 1}}));
  CHECK(job.capture.ranks[2].gpu == 3);
}

TEST_CASE("without a placement a job stays on the first GPUs, and as it was where it fills the system") {
  Job same = job_of_four();
  place_job(same, {}, 4);
  CHECK(same.groups[0].digits.size() == 1);
  CHECK(same.programs.programs.size() == 4);
  Job wider = job_of_four();
  place_job(wider, {}, 6);
  CHECK(wider.programs.program_of_gpu == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 4});
  CHECK(wider.groups[0].listed == lists({{0, 1}, {2, 3}}));
}

TEST_CASE("a placement that does not fit is refused") {
  CHECK(refusal(job_of_four(), {}, 3) == "a job of 4 GPUs does not fit a system of 3");
  CHECK(refusal(job_of_four(), {0, 1, 2}, 8) == "a placement on 3 GPUs for a job of 4");
  CHECK(refusal(job_of_four(), {0, 1, 2, 8}, 8) == "gpu 8 does not exist (there are 8 GPUs)");
  CHECK(refusal(job_of_four(), {0, 1, 2, 1}, 8) == "gpu 1 is placed twice");
}
