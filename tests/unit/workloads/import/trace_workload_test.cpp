#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"
#include "workloads/import/kineto/kineto.hpp"
#include "workloads/trace/trace_file.hpp"

using namespace lightrail;
using Errors = std::vector<std::string>;

namespace {

std::string gpu(const char* peak, const char* bandwidth) {
  return std::string("<gpu memory-bandwidth=\"") + bandwidth + "\"><gemm dtype=\"bf16\" peak=\"" + peak +
         "\" efficiency=\"0.5\"/><attention efficiency=\"0.5\"/><memory-kernel efficiency=\"1\"/></gpu>";
}

}  // namespace

TEST_CASE("a trace workload reads Kineto files and its own format alike") {
  TraceFolder folder;
  folder.gzip("rank0.json.gz", KinetoText().launch("a", 100, 110, 50, 1).text());
  KinetoOptions options;
  options.files = {folder.path("rank0.json.gz")};
  write_trace(import_kineto(options), folder.path("t.h5"), "test");
  MadeJob kineto = make_job_of(
      "<workload kind=\"trace\" format=\"kineto\" files=\"" + folder.path("rank*.json.gz") + "\"/>", 1);
  MadeJob own =
      make_job_of("<workload kind=\"trace\" file=\"" + folder.path("t.h5") + "\" iterations=\"2\"/>", 2);
  REQUIRE(kineto.errors == Errors{});
  REQUIRE(own.errors == Errors{});
  CHECK(own.job.programs.programs[0].ops.size() == kineto.job.programs.programs[0].ops.size());
  CHECK(own.job.programs.iterations == 2);
  CHECK(own.job.gpu_count == 2);
  CHECK(kineto.job.capture.ranks.size() == 1);
}

TEST_CASE("kernels are scaled from the recorded GPU to the system's") {
  TraceFolder folder;
  folder.gzip("rank0.json.gz",
              KinetoText().launch("ampere_gemm", 100, 110, 60, 1).launch("norm", 120, 170, 60, 2).text());
  std::string cluster = "<cluster><server>" + gpu("300 TFLOP/s", "4 TB/s") + "</server></cluster>";
  std::string workload = "<workload kind=\"trace\" format=\"kineto\" host-scale=\"0\" files=\"" +
                         folder.path("rank*.json.gz") + "\">";
  MadeJob made = make_job_of(
      cluster + workload + "<recorded-on>" + gpu("100 TFLOP/s", "2 TB/s") + "</recorded-on></workload>", 1);
  REQUIRE(made.errors == Errors{});
  std::vector<std::int64_t> kernels, host;
  for (const Op& op : made.job.programs.programs[0].ops)
    (op.kind == OpKind::compute ? kernels : host).push_back(op.duration.count() / 1'000'000);
  CHECK(kernels == std::vector<std::int64_t>{20, 30});
  CHECK(host == std::vector<std::int64_t>{0, 0});
  CHECK_THAT(make_job_of(cluster + workload + "<recorded-on/></workload>", 1).errors.at(0),
             Catch::Contains("<recorded-on> lacks its <gpu catalogue"));
  CHECK_THAT(
      make_job_of(workload + "<recorded-on>" + gpu("1 TFLOP/s", "1 TB/s") + "</recorded-on></workload>", 1)
          .errors.at(0),
      Catch::Contains("<recorded-on> needs a <cluster> with a <gpu> to scale to"));
  CHECK_THAT(make_job_of(cluster + workload + "<recorded-on><gpu/></recorded-on></workload>", 1).errors.at(0),
             Catch::Contains("<gpu> lacks <gemm dtype=\"bf16\">, which scaling recorded kernels needs"));
}

TEST_CASE("that kernels keep the times of a named GPU is said only where nothing scales them") {
  TraceFolder folder;
  JobBuilder job(1);
  job.job().capture.gpus = "NVIDIA H200";
  write_trace(job.take(), folder.path("t.h5"), "test");
  const std::string cluster = "<cluster><server>" + gpu("300 TFLOP/s", "4 TB/s") + "</server></cluster>";
  const std::string workload = "<workload kind=\"trace\" file=\"" + folder.path("t.h5") + "\">";
  CHECK(make_job_of(cluster + workload + "</workload>", 1).job.notes ==
        std::vector<std::string>{
            "recorded on NVIDIA H200: kernels keep their times unless <recorded-on> names that GPU"});
  const std::string recorded = "<recorded-on>" + gpu("100 TFLOP/s", "2 TB/s") + "</recorded-on>";
  CHECK(make_job_of(cluster + workload + recorded + "</workload>", 1).job.notes ==
        std::vector<std::string>{"kernels' times are scaled from the recorded GPU to the system's: matrix "
                                 "products 0.333 times as long, attention 0.333, all others 0.5"});
  const std::string same = "<recorded-on>" + gpu("300 TFLOP/s", "4 TB/s") + "</recorded-on>";
  CHECK(make_job_of(cluster + workload + same + "</workload>", 1).job.notes.empty());
}

TEST_CASE("GPUs without a rank of the trace are counted") {
  TraceFolder folder;
  JobBuilder job(2);
  write_trace(job.take(), folder.path("t.h5"), "test");
  CHECK(make_job_of("<workload kind=\"trace\" file=\"" + folder.path("t.h5") + "\"/>", 5).job.notes ==
        std::vector<std::string>{"3 of 5 GPUs have no rank of the trace and do nothing"});
}

TEST_CASE("a trace workload that cannot be is refused") {
  TraceFolder folder;
  folder.gzip("rank0.json.gz", KinetoText(0, 2).launch("a", 100, 110, 50, 1).text());
  folder.gzip("rank1.json.gz", KinetoText(1, 2).launch("a", 100, 110, 50, 1).text());
  auto errors = [&](const std::string& attributes, std::uint32_t gpus = 2) {
    return make_job_of("<workload kind=\"trace\" " + attributes + "/>", gpus).errors;
  };
  std::string files = "format=\"kineto\" files=\"" + folder.path("rank*.json.gz") + "\" ";
  CHECK(errors("") == Errors{"1: <workload> kind 'trace' lacks the attribute 'file'"});
  CHECK(errors("format=\"kineto\"") == Errors{"1: <workload> kind 'trace' lacks the attribute 'files'"});
  CHECK(errors(files + "file=\"x\"") ==
        Errors{"1: <workload> attribute 'file': does not belong to format 'kineto' (expected 'files')"});
  CHECK_THAT(errors("format=\"kinetto\"").at(0),
             Catch::Contains("invalid choice 'kinetto'") && Catch::Contains("did you mean 'kineto'"));
  CHECK_THAT(errors(files, 1).at(0),
             Catch::EndsWith("rank0.json.gz: a trace of 2 ranks needs as many GPUs, but the system has 1"));
  CHECK(errors(files + "gpus=\"0,0\"") == Errors{"1: <workload> attribute 'gpus': gpu 0 is placed twice"});
  CHECK(errors(files + "gpus=\"0\"") ==
        Errors{"1: <workload> attribute 'gpus': a placement on 1 GPUs for a job of 2"});
  CHECK_THAT(errors("file=\"none.h5\"").at(0), Catch::EndsWith("none.h5: cannot read trace (no such file)"));
  CHECK(errors("file=\"none.h5\" element-bytes=\"2\"").at(0) ==
        "1: <workload> attribute 'element-bytes': belongs to format 'kineto', 'nsight'");
}
