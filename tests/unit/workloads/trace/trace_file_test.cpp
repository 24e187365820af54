#include <catch2/catch.hpp>

#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/support/refusal.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"
#include "workloads/import/kineto/kineto.hpp"
#include "workloads/import/trace_files.hpp"
#include "workloads/trace/trace_columns.hpp"
#include "workloads/trace/trace_digest.hpp"
#include "workloads/trace/trace_file.hpp"

using namespace lightrail;

namespace {

Job imported() {
  KinetoOptions options;
  options.files = files_matching("tests/data/kineto-megatron-tp8/megatron_kineto_*.json.gz");
  return import_kineto(options);
}

Job sample() {
  static const Job kineto = imported();
  Job job = kineto;
  GroupKind regular;
  regular.name = "pairs";
  regular.digits = {{2, 1}, {2, 4}};
  job.groups.push_back(regular);
  KernelShape shape;
  shape.kind = KernelKind::attention;
  shape.m = 7, shape.heads = 3, shape.causal = 1;
  job.programs.shapes.push_back(shape);
  shape = {};
  shape.dtype = DataType::fp8, shape.scaling = Scaling::rowwise;
  job.programs.shapes.push_back(shape);
  job.programs.splits.push_back({2, {0.25, 0.75, 0.5, 0.5}});
  job.programs.iterations = 3;
  job.programs.programs[1].memory_bytes = 12345;
  return job;
}

std::string read_error(const std::string& path) {
  return test::refusal([&] { (void)read_trace(path); });
}

}  // namespace

TEST_CASE("a trace file gives back the job that was written") {
  TraceFolder folder;
  Job job = sample();
  write_trace(job, folder.path("t.h5"), "test");
  Job back = read_trace(folder.path("t.h5"));
  CHECK(back.names == job.names);
  CHECK(back.dimensions == job.dimensions);
  CHECK(back.programs.program_of_gpu == job.programs.program_of_gpu);
  CHECK(back.programs.iterations == 3);
  REQUIRE(back.groups.size() == 2);
  CHECK(back.groups[0].listed == job.groups[0].listed);
  CHECK(back.groups[1].digits[1].stride == 4);
  CHECK(back.programs.shapes[0].heads == 3);
  CHECK(back.programs.shapes[0].scaling == Scaling::tensorwise);
  CHECK((back.programs.shapes[1].dtype == DataType::fp8 &&
         back.programs.shapes[1].scaling == Scaling::rowwise));
  CHECK(back.programs.splits[1].share == job.programs.splits[1].share);
  CHECK(back.capture.step_ps == job.capture.step_ps);
  CHECK(back.capture.gpus == "NVIDIA A100-SXM4-80GB");
  CHECK(back.capture.ranks[7].span_ps == job.capture.ranks[7].span_ps);
  REQUIRE(back.programs.programs.size() == job.programs.programs.size());
  for (std::size_t p = 0; p < job.programs.programs.size(); ++p) {
    const Program &x = back.programs.programs[p], &y = job.programs.programs[p];
    CHECK(x.role == y.role);
    CHECK(x.streams == y.streams);
    CHECK(x.dependencies == y.dependencies);
    CHECK(x.memory_bytes == y.memory_bytes);
    REQUIRE(x.ops.size() == y.ops.size());
    bool are_equal = true;
    for (std::size_t i = 0; i < x.ops.size(); ++i)
      are_equal = are_equal && x.ops[i].kind == y.ops[i].kind && x.ops[i].duration == y.ops[i].duration &&
                  x.ops[i].bytes == y.ops[i].bytes && x.ops[i].name == y.ops[i].name &&
                  x.ops[i].group == y.ops[i].group && x.ops[i].stream == y.ops[i].stream &&
                  x.ops[i].first_dependency == y.ops[i].first_dependency &&
                  x.ops[i].dimension == y.ops[i].dimension;
    CHECK(are_equal);
  }
  CHECK_THAT(describe_trace(back), Catch::Contains("81 x all-reduce of 67108864 B over world") &&
                                       Catch::Contains("program 'rank 0' on 1 GPU(s)"));
}

TEST_CASE("programs that follow each other are read back, and older readers are told") {
  TraceFolder folder;
  const auto version = [&](const Job& job) {
    write_trace(job, folder.path("t.h5"), "test");
    return TraceReader(folder.path("t.h5")).number_attribute("schema_version");
  };
  Job job = sample();
  CHECK(version(job) == 1);
  job.programs.programs[0].next = 3;
  job.programs.programs[3].next = 7;
  CHECK(version(job) == 2);
  const Job back = read_trace(folder.path("t.h5"));
  for (std::size_t p = 0; p < job.programs.programs.size(); ++p)
    CHECK(back.programs.programs[p].next == job.programs.programs[p].next);
  // GPU 0's program goes on with those of GPUs 3 and 7.
  CHECK_THAT(describe_trace(back), Catch::Contains("program 'rank 7' on 3 GPU(s)"));
  job.programs.programs[3].next = 2;
  write_trace(job, folder.path("t.h5"), "test");
  CHECK(read_error(folder.path("t.h5")) == "/programs/next row 3: 2 is out of range (4 ... 7)");
}

TEST_CASE("only products have scales of rows in a trace file") {
  TraceFolder folder;
  for (KernelKind kind : {KernelKind::gemm, KernelKind::attention, KernelKind::memory_bound}) {
    Job job = sample();
    job.programs.shapes[1].kind = kind;
    write_trace(job, folder.path("t.h5"), "test");
    if (kind == KernelKind::gemm)
      CHECK(read_trace(folder.path("t.h5")).programs.shapes[1].scaling == Scaling::rowwise);
    else
      CHECK(read_error(folder.path("t.h5")) == "/shapes row 13: 5 is out of range (0 ... 4)");
  }
}

TEST_CASE("the same job gives the same file") {
  TraceFolder folder;
  auto text = [](const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
  };
  write_trace(sample(), folder.path("a.h5"), "test");
  write_trace(sample(), folder.path("b.h5"), "test");
  CHECK(text(folder.path("a.h5")) == text(folder.path("b.h5")));
}

TEST_CASE("a trace file that is cut, foreign or missing is refused with the reason") {
  TraceFolder folder;
  write_trace(sample(), folder.path("t.h5"), "test");
  std::ostringstream data;
  data << std::ifstream(folder.path("t.h5"), std::ios::binary).rdbuf();
  folder.plain("cut.h5", data.str().substr(0, data.str().size() / 2));
  CHECK_THAT(read_error(folder.path("cut.h5")),
             Catch::StartsWith("cannot read trace as HDF5 (") && Catch::Contains("truncated"));
  folder.plain("text.h5", "no HDF5 at all, but long enough to look for a signature in it");
  CHECK_THAT(read_error(folder.path("text.h5")), Catch::StartsWith("cannot read trace as HDF5 ("));
  CHECK(read_error(folder.path("none.h5")) == "cannot read trace (no such file)");
  {
    TraceWriter other(folder.path("other.h5"));
    other.attribute("schema", "lightrail-result");
    other.close();
  }
  CHECK(read_error(folder.path("other.h5")) ==
        "is not a Lightrail trace (@schema is 'lightrail-result', expected 'lightrail-trace')");
}

TEST_CASE("indices that lead nowhere are refused") {
  TraceFolder folder;
  auto broken = [&](auto&& change) {
    Job job = sample();
    change(job);
    write_trace(job, folder.path("x.h5"), "test");
    return read_error(folder.path("x.h5"));
  };
  auto op = [](Job& job) -> Op& { return job.programs.programs[0].ops[5]; };
  CHECK_THAT(broken([&](Job& j) { op(j).name = 99'999; }),
             Catch::StartsWith("program 'rank 0' op 5: name 99999 of "));
  CHECK_THAT(broken([&](Job& j) { op(j).stream = 77; }),
             Catch::StartsWith("program 'rank 0' op 5: stream 77 of 3"));
  CHECK_THAT(broken([&](Job& j) { op(j).dimension = 9; }),
             Catch::StartsWith("program 'rank 0' op 5: dimension 9 of 1"));
  CHECK_THAT(broken([&](Job& j) { op(j).split = 9; }),
             Catch::StartsWith("program 'rank 0' op 5: split 9 of 2"));
  for (const double share : {-0.5, 1.5, std::nan("")})
    CHECK_THAT(broken([&](Job& j) { j.programs.splits[1].share[1] = share; }),
               Catch::StartsWith("/splits/share: row 0 of matrix 0 is not made of shares that sum to 1"));
  CHECK_THAT(broken([&](Job& j) {
               op(j).kind = OpKind::compute;
               op(j).split = 1;
               op(j).group = GroupKindId{9};
             }),
             Catch::StartsWith("program 'rank 0' op 5: group 9 of "));
  CHECK_THAT(broken([&](Job& j) {
               op(j).kind = OpKind::collective;
               op(j).group = GroupKindId{0};
             }),
             Catch::Contains("a collective without a type"));
  CHECK_THAT(broken([&](Job& j) {
               op(j).kind = OpKind::send;
               op(j).group = GroupKindId{9};
             }),
             Catch::Contains("group 9 of 2"));
  CHECK_THAT(broken([&](Job& j) {
               op(j).kind = OpKind::compute;
               op(j).duration = picoseconds(0);
               op(j).shape = 9;
             }),
             Catch::Contains("shape 9 of 2"));
  CHECK_THAT(broken([&](Job& j) { op(j).kind = static_cast<OpKind>(200); }),
             Catch::StartsWith("/ops/kind row 5: 200 is out of range (0 ... 8)"));
  CHECK_THAT(broken([&](Job& j) { op(j).bytes = -1; }),
             Catch::StartsWith("/ops/size_bytes row 5: -1 is out of range"));
  CHECK_THAT(broken([&](Job& j) { j.programs.programs[0].dependencies[0] = 500; }),
             Catch::StartsWith("/dependencies row 0: 500 is out of range"));
  CHECK_THAT(broken([&](Job& j) { j.programs.program_of_gpu[3] = 8; }),
             Catch::StartsWith("/program_of_gpu row 3: 8 is out of range (0 ... 7)"));
  CHECK_THAT(broken([&](Job& j) { j.groups[0].listed[0][1] = EndpointId{0}; }),
             Catch::Contains("gpu 0 is in two groups"));
  CHECK_THAT(broken([&](Job& j) { j.programs.iterations = 0; }),
             Catch::StartsWith("@iterations row 0: 0 is out of range"));
}
