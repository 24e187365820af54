#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"

using namespace lightrail;

namespace {

struct Counts {
  std::int64_t kernels = 0, launches = 0, graphs = 0, reads = 0, casts = 0, modules = 0, experts = 0;
};

Job job_of(const std::string& plan, const std::string& model, std::uint32_t gpus) {
  MadeJob made = make_job_of(
      "<workload kind=\"training\" host=\"launches\" " + plan + ">" + model + "</workload>", gpus);
  REQUIRE(made.errors == std::vector<std::string>{});
  return std::move(made.job);
}

/// What a stage's first pass of that name counts.
Counts pass_counts(const Job& job, const std::string& pass) {
  Counts sum;
  std::string at;
  for (const Op& op : job.programs.programs[0].ops) {
    if (op.kind == OpKind::marker) at = job.names[op.name];
    if (at != pass || op.host_work == 0) continue;
    const HostWork& work = job.programs.host_work[op.host_work];
    sum.kernels += work.kernels(), sum.launches += work.launches, sum.graphs += work.graphs;
    sum.reads += work.reads_back, sum.casts += work.casts, sum.modules += work.modules;
    sum.experts += work.experts;
  }
  return sum;
}

/// What one more layer adds to a pass.
Counts layer_counts(const std::string& plan, const std::string& catalogue, const std::string& pass,
                    std::uint32_t gpus) {
  const auto of = [&](int layers) {
    return pass_counts(
        job_of("global-batch=\"" + std::to_string(gpus) + "\" sequence=\"4096\" " + plan,
               "<model catalogue=\"models/" + catalogue + "\" layers=\"" + std::to_string(layers) + "\"/>",
               gpus),
        pass);
  };
  const Counts less = of(5), more = of(6);
  return {more.kernels - less.kernels, more.launches - less.launches, more.graphs - less.graphs,
          more.reads - less.reads,     more.casts - less.casts,       more.modules - less.modules,
          more.experts - less.experts};
}

const std::string qwen = "ep=\"16\" expert-exchange=\"hybridep\" read-counts=\"off\" ";

}  // namespace

// Qwen3-30B-A3B on 16 H100, EP 16: 463,348 kernels a step of 64 micro-batches and 48 layers
// (NVIDIA-NeMo/Megatron-Bridge 067f987, skills/nemo-mbridge-perf-expert-parallel-overlap).
TEST_CASE("a layer of experts has as many kernels as were counted in a step") {
  const double counted = 463'348.0 / (64 * 48);
  const Counts forward = layer_counts(qwen, "qwen3_30b_a3b", "forward 0", 16),
               backward = layer_counts(qwen, "qwen3_30b_a3b", "backward 0", 16);
  CHECK(static_cast<double>(forward.kernels + backward.kernels) == Approx(counted).epsilon(0.1));
  CHECK(forward.experts == 2 * 8);  // two products of eight local experts
  CHECK(backward.experts == 4 * 8);
  CHECK(forward.launches == forward.kernels);
  CHECK(forward.reads == 0);
  CHECK(backward.modules == 0);
}

// DeepSeek's own framework, H800, EP 64 (deepseek-ai/profile-data 4496024, train.json): 94 and 152.
TEST_CASE("a layer of DeepSeek-V3 has as many launches as in its published trace") {
  const std::string plan =
      "ep=\"64\" expert-exchange=\"deepep\" dtype=\"fp8\" dispatch=\"fp8\" expert-kernels=\"grouped\" "
      "recompute=\"light\" ";
  const Counts forward = layer_counts(plan, "deepseek_v3", "forward 0", 64),
               backward = layer_counts(plan, "deepseek_v3", "backward 0", 64);
  CHECK(static_cast<double>(forward.launches) == Approx(94).epsilon(0.1));
  CHECK(static_cast<double>(backward.launches) == Approx(152).epsilon(0.1));
  CHECK(forward.reads == 1);
  CHECK(backward.reads == 0);
  CHECK(forward.experts + backward.experts == 0);
}

// A dense layer of the captured step on eight A100: 690 kernels in 21 layer passes, collectives included.
TEST_CASE("a dense layer has about as many kernels as in a captured step") {
  const std::string plan = "tp=\"8\" sequence-parallel=\"off\" ";
  const Counts forward = layer_counts(plan, "llama3_8b", "forward 0", 8),
               backward = layer_counts(plan, "llama3_8b", "backward 0", 8);
  CHECK(static_cast<double>(forward.kernels + backward.kernels) == Approx(690.0 / 21).epsilon(0.1));
}

TEST_CASE("graphs take launches out of a layer, and leave its kernels") {
  const Counts eager = layer_counts(qwen, "qwen3_30b_a3b", "forward 0", 16);
  const Counts attn = layer_counts(qwen + "graphs=\"attn\"", "qwen3_30b_a3b", "forward 0", 16);
  const Counts parts =
      layer_counts(qwen + "graphs=\"attn moe_router moe_preprocess\"", "qwen3_30b_a3b", "forward 0", 16);
  const Counts backward =
      layer_counts(qwen + "graphs=\"attn moe_router moe_preprocess\"", "qwen3_30b_a3b", "backward 0", 16);
  const Counts all = layer_counts(qwen + "graphs=\"iteration\"", "qwen3_30b_a3b", "forward 0", 16);
  for (const Counts& some : {attn, parts, all}) CHECK(some.kernels == eager.kernels);
  CHECK(attn.graphs == 1);
  CHECK(parts.graphs == 1);  // attention, router and preprocessing are next to each other
  CHECK(backward.graphs == 1);
  CHECK(all.graphs == 0);  // one in all
  CHECK(attn.launches < eager.launches);
  CHECK(parts.launches < attn.launches);
  CHECK(all.launches == 0);
  const Job whole = job_of("global-batch=\"16\" " + qwen + "graphs=\"iteration\"",
                           "<model catalogue=\"models/qwen3_30b_a3b\" layers=\"2\"/>", 16);
  CHECK(pass_counts(whole, "forward 0").graphs == 1);
  CHECK(pass_counts(whole, "backward 0").graphs == 0);
  CHECK(pass_counts(whole, "gradients").launches > 0);  // the optimiser is launched eagerly
}

TEST_CASE("tokens of experts are read once a layer and forward pass, where buffers are not sized before") {
  const auto reads = [](const std::string& more) {
    return layer_counts("ep=\"16\" " + more, "qwen3_30b_a3b", "forward 0", 16).reads;
  };
  CHECK(reads("") == 1);
  CHECK(reads("expert-exchange=\"deepep\"") == 1);
  CHECK(reads("read-counts=\"off\"") == 0);
  CHECK(reads("pad-to-capacity=\"on\" capacity-factor=\"1\"") == 0);
  // Computed again, they are known.
  CHECK(layer_counts("ep=\"16\" recompute=\"full\"", "qwen3_30b_a3b", "backward 0", 16).reads == 0);
}

TEST_CASE("grouped products have one launch, and routers whose kernels are not fused forty more") {
  const auto launches = [](const std::string& more) {
    return layer_counts(qwen + more, "qwen3_30b_a3b", "forward 0", 16).launches;
  };
  CHECK(launches("") - launches("expert-kernels=\"grouped\"") == 2 * 7);
  CHECK(launches("router-kernels=\"separate\"") - launches("") == 72 - 31);
}

TEST_CASE("the norm of gradients is read by the CPU, whatever launching takes no time has no counts") {
  const Job job = job_of("global-batch=\"1\"", small_model(""), 1);
  CHECK(pass_counts(job, "gradients").reads == 1);
  CHECK(make_job_of("<workload kind=\"training\" global-batch=\"1\">" + small_model("") + "</workload>", 1)
            .job.programs.host_work.empty());
}

TEST_CASE("what a plan says of its processes goes with its programs") {
  const Job job = job_of("global-batch=\"1\" cpu-binding=\"off\" connections=\"1\" collect-every=\"10\"",
                         small_model(""), 1);
  CHECK(!job.programs.host.is_bound);
  CHECK(job.programs.host.launches_in_order);
  CHECK(job.programs.host.collects_every == 10);
}

TEST_CASE(
    "launching takes time by default where every host says how long, and a result says where it does not") {
  const auto made = [](const std::string& servers, const std::string& host) {
    return make_job_of(servers + "<workload kind=\"training\" global-batch=\"1\"" + host + ">" +
                           small_model("") + "</workload>",
                       1);
  };
  const std::string known = "<cluster><server><host launch=\"4 us\"/></server></cluster>";
  const std::string unknown = "<cluster><server><host launch=\"0 us\"/></server></cluster>";
  const auto counts = [&](const std::string& servers, const std::string& host) {
    const MadeJob job = made(servers, host);
    REQUIRE(job.errors.empty());
    return !job.job.programs.host_work.empty();
  };
  CHECK(counts(known, ""));
  CHECK(counts(known, " host=\"auto\""));
  CHECK(counts(known, " graphs=\"attn\""));
  CHECK_FALSE(counts(known, " host=\"none\""));
  CHECK(counts(unknown, " host=\"launches\""));  // refused where GPUs are checked
  for (const std::string& servers : {unknown, known + unknown, std::string("<cluster><server/></cluster>"),
                                     known + "<graph><gpu name=\"a\"/></graph>", std::string()}) {
    for (const char* host : {"", " host=\"auto\""}) {
      const MadeJob job = made(servers, host);
      CHECK(job.job.programs.host_work.empty());
      REQUIRE(job.job.notes.size() == 1);
      CHECK(job.job.notes[0].rfind("launching kernels takes no time", 0) == 0);
    }
  }
  CHECK(made(known, " host=\"none\"").job.notes.empty());
}
