#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/training/expected_traffic.hpp"

using namespace lightrail;

namespace {

struct Case {
  const char* plan;
  const char* model;
  std::uint32_t gpus;
};

}  // namespace

TEST_CASE("training sends exactly the bytes that the closed form says, by dimension") {
  auto c = GENERATE(
      Case{"global-batch=\"4\" sequence=\"32\" tp=\"2\" pp=\"2\"", "", 8},
      Case{"global-batch=\"4\" sequence=\"32\" tp=\"4\" sequence-parallel=\"off\"", "biases=\"on\"", 8},
      Case{"global-batch=\"12\" micro-batch=\"2\" sequence=\"32\" tp=\"2\" pp=\"4\" recompute=\"full\"",
           "tied-embeddings=\"on\"", 8},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"2\" pp=\"2\" chunks=\"2\"", "", 8},
      Case{"global-batch=\"24\" sequence=\"32\" ep=\"4\" tp=\"2\"",
           "experts=\"8\" active-experts=\"2\" gated=\"on\"", 24},
      Case{"global-batch=\"24\" sequence=\"32\" ep=\"8\" pp=\"2\" recompute=\"full\" gradients=\"bf16\"",
           "experts=\"8\" active-experts=\"3\"", 16},
      Case{"global-batch=\"9\" sequence=\"30\" overlap-gradients=\"on\"", "positions=\"7\"", 9},
      Case{"global-batch=\"6\" sequence=\"32\" tp=\"8\" distributed-optimizer=\"off\"", "", 24},
      Case{"global-batch=\"4\" sequence=\"32\" tp=\"2\" pp=\"2\" sequence-parallel=\"off\" "
           "scatter-gather=\"on\"",
           "", 8},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"2\" cp=\"4\" tensor-overlap=\"backward\" "
           "recompute=\"selective\"",
           "kv-heads=\"2\"", 16},
      Case{"global-batch=\"4\" sequence=\"96\" tp=\"4\" cp=\"2\" tensor-overlap=\"all\" recompute=\"full\" "
           "edges-count=\"on\" pp=\"3\"",
           "", 24},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"4\" etp=\"1\" ep=\"8\" pp=\"2\"",
           "experts=\"8\" active-experts=\"2\" gated=\"on\"", 16},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"4\" etp=\"2\" ep=\"2\" expert-groups=\"replicas\"",
           "experts=\"8\" active-experts=\"2\" gated=\"on\"", 16},
      Case{"global-batch=\"16\" sequence=\"32\" tp=\"4\" etp=\"2\" ep=\"2\" expert-groups=\"replicas\" "
           "pp=\"2\" "
           "schedule=\"dualpipe\" overlap-gradients=\"on\"",
           "experts=\"8\" active-experts=\"2\" gated=\"on\"", 32},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"4\" cp=\"2\" etp=\"2\" ep=\"4\"",
           "experts=\"4\" active-experts=\"2\"", 16},
      Case{
          "global-batch=\"4\" sequence=\"32\" tp=\"2\" sequence-parallel=\"off\" tensor-overlap=\"backward\"",
          "", 8},
      Case{"global-batch=\"2\" sequence=\"32\" kernels=\"separate\" dropout=\"on\" recompute=\"selective\"",
           "", 2},
      Case{"global-batch=\"8\" sequence=\"32\" pp=\"2\" chunks=\"2\" overlap-parameters=\"on\" "
           "overlap-gradients=\"on\"",
           "", 6 + 2},
      Case{"global-batch=\"24\" sequence=\"32\" ep=\"2\" overlap-parameters=\"on\" dtype=\"fp8\"",
           "experts=\"2\" active-experts=\"1\"", 6},
      Case{"global-batch=\"4\" sequence=\"48\" tp=\"4\" cp=\"2\" tensor-overlap=\"all\" dtype=\"fp8\"", "",
           16},
      Case{"global-batch=\"4\" sequence=\"48\" tp=\"4\" cp=\"2\" dtype=\"fp8\" float8-recipe=\"tensorwise\"",
           "", 16},
      Case{"global-batch=\"4\" sequence=\"48\" tp=\"4\" tensor-overlap=\"all\" dtype=\"fp8\" "
           "float8-recipe=\"rowwise\"",
           "", 16},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"2\" pp=\"4\" schedule=\"zb-h1\" dtype=\"fp8\" "
           "float8-recipe=\"rowwise\"",
           "", 8},
      Case{"global-batch=\"4\" sequence=\"64\" tp=\"2\" pp=\"2\" dtype=\"mxfp8\"", "", 8},
      Case{"global-batch=\"4\" sequence=\"64\" tp=\"4\" tensor-overlap=\"all\" dtype=\"nvfp4\"", "", 8},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"2\" pp=\"2\" chunks=\"2\" stage-layers=\"1x1 1x0 1x2 "
           "1x1\"",
           "", 8},
      Case{"global-batch=\"12\" sequence=\"32\" tp=\"2\" pp=\"3\" chunks=\"2\" edges-count=\"on\"", "", 24},
      Case{"global-batch=\"4\" sequence=\"32\" tp=\"2\" recompute=\"modules\" recompute-modules=\"layernorm "
           "mlp\"",
           "", 8},
      Case{"global-batch=\"18\" sequence=\"32\" shard-parameters=\"on\"", "", 9},
      Case{"global-batch=\"12\" sequence=\"48\" shard-parameters=\"on\" shard=\"3\" tp=\"2\" cp=\"3\" "
           "recompute=\"full\"",
           "", 36},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"2\" pp=\"4\" schedule=\"zb-h1\" tensor-overlap=\"all\"",
           "", 8},
      Case{"global-batch=\"12\" sequence=\"32\" tp=\"2\" pp=\"2\" schedule=\"zb-h1\" recompute=\"full\" "
           "ep=\"2\" "
           "overlap-gradients=\"on\"",
           "experts=\"8\" active-experts=\"3\"", 8},
      Case{"global-batch=\"16\" sequence=\"32\" tp=\"2\" pp=\"4\" schedule=\"dualpipe\"",
           "tied-embeddings=\"on\"", 16},
      Case{"global-batch=\"24\" sequence=\"32\" ep=\"2\" pp=\"2\" schedule=\"dualpipe\" "
           "overlap-gradients=\"on\" "
           "overlap-parameters=\"on\" gradients=\"bf16\"",
           "experts=\"8\" active-experts=\"2\" gated=\"on\"", 8},
      Case{"global-batch=\"16\" sequence=\"32\" tp=\"2\" ep=\"4\" pp=\"2\" overlap-gradients=\"on\"",
           "experts=\"8\" active-experts=\"2\" gated=\"on\" shared-experts=\"2\" shared-ffn=\"64\" "
           "dense-layers=\"1\" "
           "dense-ffn=\"256\"",
           16},
      Case{"global-batch=\"16\" sequence=\"32\" ep=\"4\" capacity-factor=\"1.25\" pad-to-capacity=\"on\"",
           "experts=\"8\" active-experts=\"2\"", 8},
      Case{"global-batch=\"16\" sequence=\"32\" ep=\"4\" tp=\"2\" capacity-factor=\"0.5\" recompute=\"full\"",
           "experts=\"8\" active-experts=\"2\"", 8},
      Case{"global-batch=\"16\" sequence=\"32\" ep=\"4\" pp=\"2\" schedule=\"zb-h1\"",
           "kv-heads=\"0\" head-dim=\"8\" rope-dim=\"4\" latent=\"20\" q-latent=\"24\" experts=\"8\" "
           "active-experts=\"2\" "
           "shared-experts=\"1\"",
           8},
      Case{"global-batch=\"9\" sequence=\"30\" overlap-gradients=\"on\" bucket-size=\"50000\"",
           "positions=\"7\"", 9},
      Case{"global-batch=\"16\" sequence=\"32\" tp=\"2\" ep=\"2\" pp=\"2\" schedule=\"dualpipe\" "
           "overlap-gradients=\"on\" "
           "bucket-size=\"12345\"",
           "experts=\"8\" active-experts=\"2\"", 16},
      Case{"global-batch=\"16\" sequence=\"32\" ep=\"4\" pp=\"2\" stage-layers=\"1x3 1x1\" dispatch=\"fp8\" "
           "recompute=\"light\" "
           "expert-exchange=\"direct\"",
           "experts=\"8\" active-experts=\"2\"", 8},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"4\" cp=\"2\" etp=\"2\" ep=\"4\" dispatch=\"fp8\" "
           "dtype=\"fp8\" "
           "recompute=\"full\"",
           "experts=\"4\" active-experts=\"2\"", 16},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"2\" pp=\"2\" overlap-gradients=\"on\" dtype=\"fp8\"",
           "mtp-layers=\"1\"", 8},
      Case{
          "global-batch=\"8\" sequence=\"32\" pp=\"4\" tp=\"2\" sequence-parallel=\"off\" schedule=\"zb-h1\" "
          "recompute=\"full\"",
          "mtp-layers=\"2\" tied-embeddings=\"on\"", 8},
      Case{"global-batch=\"8\" sequence=\"32\" pp=\"2\" chunks=\"2\" cp=\"2\" overlap-gradients=\"on\" "
           "overlap-parameters=\"on\"",
           "mtp-layers=\"1\"", 8},
      Case{"global-batch=\"24\" sequence=\"32\" tp=\"2\" ep=\"2\" pp=\"2\" schedule=\"dualpipe\" "
           "overlap-gradients=\"on\" overlap-parameters=\"on\" stage-layers=\"1x3 1x1\"",
           "mtp-layers=\"1\" experts=\"8\" active-experts=\"2\" shared-experts=\"1\" dense-layers=\"1\" "
           "dense-ffn=\"64\"",
           16},
      Case{"global-batch=\"6\" sequence=\"48\" shard-parameters=\"on\" shard=\"3\" tp=\"4\" "
           "gradients=\"bf16\"",
           "mtp-layers=\"2\"", 24},
      Case{"global-batch=\"9\" sequence=\"32\" shard-parameters=\"on\" sequence-parallel=\"off\"",
           "mtp-layers=\"1\"", 9},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"2\" cp=\"2\" pp=\"2\" tensor-overlap=\"all\" "
           "dtype=\"fp8\"",
           "kv-heads=\"0\" head-dim=\"8\" rope-dim=\"4\" latent=\"20\" q-latent=\"24\" value-dim=\"16\"", 16},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"4\" cp=\"2\" recompute=\"modules\" "
           "recompute-modules=\"mla_up_proj core_attn\" tensor-overlap=\"backward\"",
           "kv-heads=\"0\" rope-dim=\"4\" latent=\"20\"", 8},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"2\" ep=\"4\" etp=\"1\" pp=\"2\" schedule=\"zb-h1\" "
           "recompute=\"light\" dtype=\"fp8\"",
           "kv-heads=\"0\" rope-dim=\"4\" latent=\"20\" q-latent=\"24\" experts=\"8\" active-experts=\"2\" "
           "shared-experts=\"1\"",
           8},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"2\" dtype=\"fp8\" float8-recipe=\"rowwise\" "
           "recompute=\"full\"",
           "kv-heads=\"0\" rope-dim=\"4\" latent=\"20\"", 8},
      Case{"global-batch=\"32\" sequence=\"32\" shard-parameters=\"on\" ep=\"4\"",
           "experts=\"8\" active-experts=\"2\" dense-layers=\"1\" dense-ffn=\"96\"", 16},
      Case{"global-batch=\"32\" sequence=\"32\" shard-parameters=\"on\" shard=\"4\" tp=\"2\" ep=\"4\" "
           "etp=\"1\"",
           "experts=\"8\" active-experts=\"2\" shared-experts=\"1\"", 32},
      Case{"global-batch=\"8\" sequence=\"32\" shard-parameters=\"on\" ep=\"8\"",
           "experts=\"8\" active-experts=\"2\"", 8},
      Case{"global-batch=\"24\" sequence=\"32\" shard-parameters=\"on\" pp=\"2\" chunks=\"2\" shard=\"3\" "
           "stage-layers=\"1x1 1x0 1x2 1x1\"",
           "mtp-layers=\"1\"", 12},
      Case{"global-batch=\"24\" sequence=\"32\" shard-parameters=\"on\" pp=\"2\" schedule=\"zb-h1\" tp=\"2\" "
           "ep=\"2\" "
           "gradients=\"bf16\"",
           "experts=\"8\" active-experts=\"2\" tied-embeddings=\"on\"", 24},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"2\" pp=\"2\" ep=\"2\" overlap-gradients=\"on\"",
           "experts=\"8\" active-experts=\"1\" expert-every=\"2\" dense-ffn=\"256\" shared-experts=\"1\"", 8},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"2\" ep=\"2\" recompute=\"modules\" "
           "recompute-modules=\"mlp\"",
           "experts=\"8\" active-experts=\"1\" expert-every=\"3\" dense-ffn=\"256\" mtp-layers=\"1\"", 8},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"2\" pp=\"2\" schedule=\"zb-h1\" recompute=\"full\"",
           "parallel=\"on\" biases=\"on\"", 8},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"4\" cp=\"2\" sequence-parallel=\"off\"",
           "parallel=\"on\" kv-heads=\"1\" mtp-layers=\"1\"", 8},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"2\" pp=\"2\" lora-rank=\"4\" overlap-gradients=\"on\"",
           "", 8},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"4\" lora-rank=\"4\" lora-modules=\"linear_proj "
           "linear_fc2\" "
           "tensor-overlap=\"backward\" recompute=\"full\"",
           "tied-embeddings=\"on\"", 8},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"2\" pp=\"2\" sequence-parallel=\"off\" lora-rank=\"4\"",
           "tied-embeddings=\"on\" biases=\"on\"", 8},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"2\" ep=\"4\" cp=\"2\" lora-rank=\"4\" dtype=\"fp8\" "
           "overlap-parameters=\"on\"",
           "experts=\"8\" active-experts=\"2\" shared-experts=\"1\"", 16},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"2\" ep=\"2\" pp=\"2\" schedule=\"zb-h1\"",
           "pattern=\"ME*E\" mamba-heads=\"4\" mamba-groups=\"2\" experts=\"4\" active-experts=\"2\" "
           "shared-experts=\"1\"",
           8},
      Case{"global-batch=\"8\" sequence=\"32\" tp=\"4\" recompute=\"full\" shard-parameters=\"on\"",
           "pattern=\"M-*-\" mamba-heads=\"4\" mamba-groups=\"4\"", 8},
      Case{"global-batch=\"8\" sequence=\"32\" ep=\"4\" tp=\"2\" etp=\"1\" recompute=\"full\" "
           "expert-exchange=\"hybridep\"",
           "experts=\"8\" active-experts=\"2\"", 8},
      Case{"global-batch=\"1\" sequence=\"1\"", "", 1});
  CAPTURE(c.plan, c.model, c.gpus);
  std::string text =
      std::string("<workload kind=\"training\" ") + c.plan + ">" + small_model(c.model) + "</workload>";
  MadeJob made = make_job_of(text, c.gpus);
  REQUIRE(made.errors == std::vector<std::string>{});

  ErrorList errors;
  Element workload, model_element;
  auto read = [](const std::string& attributes, Element& into) {
    for (std::size_t at = 0; (at = attributes.find_first_not_of(' ', at)) != std::string::npos;) {
      std::size_t equals = attributes.find('=', at), end = attributes.find('"', equals + 2);
      into.attributes.push_back(
          {attributes.substr(at, equals - at), attributes.substr(equals + 2, end - equals - 2), "", 0});
      at = end + 1;
    }
  };
  read(c.plan, workload);
  const std::string small = small_model(c.model);
  read(small.substr(7, small.size() - 9), model_element);
  Transformer model;
  TrainingPlan plan;
  read_transformer(model_element, model, errors);
  read_training_plan(workload, model, c.gpus, built_in_algorithms(), plan, errors);
  errors.throw_if_any();
  TrainingTraffic closed = training_traffic(model, plan);
  std::vector<std::string> dimensions{"tp", "dp", "ep", "pp"};
  std::vector<std::int64_t> closed_bytes{closed.tp, closed.dp, closed.ep, closed.pp};
  if (plan.cp > 1) dimensions.push_back("cp"), closed_bytes.push_back(closed.cp);
  REQUIRE(made.job.dimensions == dimensions);
  CHECK(expected_traffic(made.job) == closed_bytes);
  if (c.gpus > 1) CHECK(closed.tp + closed.dp + closed.ep + closed.pp > 0);
}
