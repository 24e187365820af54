#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "tests/unit/workloads/import/evaluate_job.hpp"
#include "workloads/import/kineto/kineto.hpp"
#include "workloads/import/trace_files.hpp"

using namespace lightrail;

namespace {

const Job& captured_job() {
  static const Job job = [] {
    KinetoOptions options;
    options.files = files_matching("tests/data/kineto-megatron-tp8/megatron_kineto_*.json.gz");
    return import_kineto(options);
  }();
  return job;
}

std::int64_t gpu_span(const Job& job, const Times& times, std::size_t gpu) {
  const Program& p = job.programs.programs[job.programs.program_of_gpu[gpu]];
  std::int64_t first = -1, last = 0;
  for (std::size_t i = 0; i < p.ops.size(); ++i) {
    if (p.streams[p.ops[i].stream].rfind("host", 0) == 0) continue;
    if (first < 0) first = times.start[gpu][i];
    last = std::max(last, times.end[gpu][i]);
  }
  return last - first;
}

}  // namespace

TEST_CASE("the capture's own figures are those of the published target") {
  const Capture& c = captured_job().capture;
  REQUIRE(c.ranks.size() == 8);
  auto [least, most] = std::minmax_element(c.ranks.begin(), c.ranks.end(),
                                           [](auto& a, auto& b) { return a.span_ps < b.span_ps; });
  CHECK(least->span_ps == 595'241'000'000);
  CHECK(most->span_ps == 630'631'000'000);
  for (const auto& r : c.ranks) {
    CHECK(r.other_kernels_ps >= 131'500'000'000);
    CHECK(r.other_kernels_ps <= 133'750'000'000);
  }
  CHECK(c.collectives == 84);
  CHECK(c.fastest_median_ps == 599'000'000);
  CHECK(c.fastest_sum_ps / 1'000'000'000 == 50);
}

TEST_CASE("ranks that are read twice instead of held give the same job") {
  KinetoOptions options;
  options.files = files_matching("tests/data/kineto-megatron-tp8/megatron_kineto_*.json.gz");
  options.max_held_bytes = 0;
  const Job again = import_kineto(options), &held = captured_job();
  REQUIRE(again.programs.programs.size() == held.programs.programs.size());
  for (std::size_t p = 0; p < again.programs.programs.size(); ++p) {
    const Program &a = again.programs.programs[p], &b = held.programs.programs[p];
    REQUIRE(a.ops.size() == b.ops.size());
    CHECK(a.dependencies == b.dependencies);
    for (std::size_t i = 0; i < a.ops.size(); ++i)
      if (a.ops[i].duration != b.ops[i].duration || a.ops[i].bytes != b.ops[i].bytes ||
          again.names[a.ops[i].name] != held.names[b.ops[i].name])
        FAIL("op " << i);
  }
  CHECK(again.capture.step_ps == held.capture.step_ps);
}

TEST_CASE("the 84 all-reduces of the capture have their sizes and one group of eight") {
  const Job& job = captured_job();
  REQUIRE(job.groups.size() == 1);
  CHECK(job.groups[0].name == "world");
  for (const auto& program : job.programs.programs) {
    int large = 0, small = 0;
    for (const Op& op : program.ops) {
      if (op.kind != OpKind::collective) continue;
      CHECK(op.collective == CollectiveType::all_reduce);
      large += op.bytes == 4ll * 2048 * 4096 * 2;
      small += op.bytes == 4ll * 2048 * 4;
    }
    CHECK(large == 81);
    CHECK(small == 3);
  }
}

TEST_CASE(
    "a kernel's duration is the measured one and every all-reduce joins the compute stream on both sides") {
  const Program& p = captured_job().programs.programs[0];
  std::int64_t kernels = 0, joins = 0;
  for (const Op& op : p.ops) {
    if (op.kind == OpKind::compute) kernels += op.duration.count();
    for (std::uint32_t d = 0; d < op.dependency_count; ++d) {
      const Op& before = p.ops[p.dependencies[op.first_dependency + d]];
      bool is_host =
          p.streams[before.stream].rfind("host", 0) == 0 || p.streams[op.stream].rfind("host", 0) == 0;
      joins += !is_host && before.stream != op.stream;
    }
  }
  CHECK(kernels == captured_job().capture.ranks[0].other_kernels_ps);
  CHECK(joins == 2 * 84);
}

TEST_CASE(
    "replaying the capture with its own all-reduce time gives its own span on every rank within 0.1 %") {
  const Job& job = captured_job();
  Times times = evaluate(job, [](const Op& op) { return op.bytes > 1'000'000 ? 599'000'000 : 60'000'000; });
  std::int64_t end = 0;
  for (std::size_t gpu = 0; gpu < 8; ++gpu) {
    std::int64_t captured = job.capture.ranks[gpu].span_ps;
    CHECK(std::abs(gpu_span(job, times, gpu) - captured) < captured / 1000);
    end = std::max(end, *std::max_element(times.end[gpu].begin(), times.end[gpu].end()));
  }
  CHECK(std::abs(end - job.capture.step_ps) <
        job.capture.step_ps / 20);  // rank 1's CPU stalls for 18 ms at the end
}
