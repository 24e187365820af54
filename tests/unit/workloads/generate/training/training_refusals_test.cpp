#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"

using namespace lightrail;

TEST_CASE("a plan that does not divide is refused with its numbers") {
  struct Bad {
    const char* plan;
    const char* model;
    std::uint32_t gpus;
    const char* message;
  };
  auto bad = GENERATE(
      Bad{"tp=\"3\"", "", 8, "tp x pp = 3 does not divide the GPUs = 8"},
      Bad{"chunks=\"2\"", "", 8, "chunks = 2 with one pipeline stage (pp = 1)"},
      Bad{"schedule=\"dualpipe\"", "", 8, "schedule=\"dualpipe\" with one pipeline stage (pp = 1)"},
      Bad{"pp=\"2\" chunks=\"2\" schedule=\"zb-h1\"", "", 4, "schedule=\"zb-h1\" with chunks = 2"},
      Bad{"pp=\"4\" schedule=\"dualpipe\" micro-batch=\"4\"", "", 8,
          "schedule=\"dualpipe\" with 4 micro-batches (expected an even number, at least 2 pp = 8)"},
      Bad{"pp=\"2\" chunks=\"3\"", "", 8, "chunks = 3 does not divide layers / pp = 2"},
      Bad{"pp=\"2\" chunks=\"2\" micro-batch=\"32\"", "", 2,
          "pp = 2 does not divide micro-batches (as chunks > 1 needs) = 1"},
      Bad{"pp=\"3\"", "", 12, "pp = 3 does not divide layers = 4"},
      Bad{"tp=\"16\" sequence=\"32\"", "", 16, "tp = 16 does not divide heads = 8"},
      Bad{"ep=\"2\"", "", 8, "ep = 2 for a model without experts"},
      Bad{"ep=\"3\"", "experts=\"9\" active-experts=\"1\"", 8, "ep = 3 does not divide dp = 8"},
      Bad{"ep=\"16\"", "experts=\"8\" active-experts=\"1\"", 16, "ep = 16 does not divide experts = 8"},
      Bad{"micro-batch=\"3\"", "", 8, "micro-batch x dp = 24 does not divide global-batch = 32"},
      Bad{"tp=\"2\" sequence=\"33\"", "", 8, "tp = 2 does not divide sequence = 33"},
      Bad{"tp=\"2\" sequence-parallel=\"off\"", "experts=\"8\" active-experts=\"1\"", 8,
          "needs sequence-parallel=\"on\""},
      Bad{"cp=\"3\"", "", 8, "tp x cp x pp = 3 does not divide the GPUs = 8"},
      Bad{"cp=\"4\" sequence=\"36\"", "", 8, "2 cp = 8 does not divide sequence = 36"},
      Bad{"cp=\"2\" kernels=\"separate\"", "", 8, "cp > 1 needs kernels=\"fused\""},
      Bad{"etp=\"2\"", "", 8, "etp = 2 for a model without experts"},
      Bad{"tp=\"2\" etp=\"1\" ep=\"3\"", "experts=\"3\" active-experts=\"1\"", 8,
          "etp x ep = 3 does not divide tp x cp x dp = 8"},
      Bad{"tp=\"2\" etp=\"1\" ep=\"8\" expert-groups=\"replicas\"", "experts=\"8\" active-experts=\"1\"", 8,
          "ep = 8 does not divide dp = 4"},
      Bad{"measured-periods=\"2\"", "", 8,
          "settling-periods and measured-periods need step-over=\"pipeline\""},
      Bad{"settling-periods=\"2\"", "", 8,
          "settling-periods and measured-periods need step-over=\"pipeline\""},
      Bad{"step-over=\"pipeline\" measured-periods=\"3\"", "", 8,
          "measured-periods = 3 (expected an even number: halves are compared)"},
      Bad{"scatter-gather=\"on\"", "", 8, "scatter-gather=\"on\" needs sequence-parallel=\"off\""},
      Bad{"sequence-parallel=\"off\" tensor-overlap=\"all\"", "", 8,
          "tensor-overlap=\"all\" needs sequence-parallel"},
      Bad{"pp=\"4\" edges-count=\"on\"", "", 8, "pp = 4 does not divide layers + 2 (edges-count=\"on\") = 6"},
      Bad{"pp=\"2\" chunks=\"2\" edges-count=\"on\"", "", 8,
          "pp x chunks = 4 does not divide layers + 2 (edges-count=\"on\") = 6"},
      Bad{"overlap-parameters=\"on\" distributed-optimizer=\"off\"", "", 8,
          "overlap-parameters needs distributed-optimizer"},
      Bad{"bucket-size=\"1000\"", "", 8, "bucket-size needs overlap-gradients=\"on\""},
      Bad{"bucket-size=\"1\" overlap-gradients=\"on\"", "", 8,
          "bucket-size = 1 (a collective needs at least 10000 parameters)"},
      Bad{"pp=\"2\" stage-layers=\"2x3\"", "", 8,
          "is 2 stages of 6 layers together (expected pp = 2 of layers = 4)"},
      Bad{"pp=\"2\" stage-layers=\"1x3 1y1\"", "", 8, "has '1y1' (expected stages x layers: 13x4)"},
      Bad{"pp=\"2\" stage-layers=\"1x3 1x1\" chunks=\"2\"", "", 8,
          "is 2 stages of 4 layers together (expected pp x chunks = 4 of layers = 4)"},
      Bad{"pp=\"2\" stage-layers=\"1x3 1x1\" edges-count=\"on\"", "", 8, "with edges-count=\"on\""},
      Bad{"recompute=\"modules\"", "", 8, "recompute=\"modules\" and recompute-modules need one another"},
      Bad{"recompute-modules=\"mlp\"", "", 8, "recompute=\"modules\" and recompute-modules need one another"},
      Bad{"recompute=\"modules\" recompute-modules=\"mlp norm\"", "", 8,
          "recompute-modules has 'norm' (expected "},
      Bad{"recompute=\"modules\" recompute-modules=\"mla_up_proj\"", "", 8,
          "recompute-modules has 'mla_up_proj' for a model without latent attention"},
      Bad{"recompute=\"modules\" recompute-modules=\"moe_act\"", "", 8,
          "recompute-modules has 'moe_act' for a model without experts"},
      Bad{"recompute=\"modules\" recompute-modules=\"mlp\"", "experts=\"2\" active-experts=\"1\"", 8,
          "recompute-modules has 'mlp' for a model without dense layers"},
      Bad{"recompute=\"modules\" recompute-modules=\"mlp\" kernels=\"separate\"", "", 8,
          "recompute=\"modules\" needs kernels=\"fused\""},
      Bad{"fused-casts=\"on\" dtype=\"fp8\"", "", 8, "fused-casts without dtype=\"mxfp8\" or \"nvfp4\""},
      Bad{"dtype=\"mxfp8\" dispatch=\"fp8\" ep=\"2\"", "experts=\"2\" active-experts=\"1\"", 8,
          "dtype=\"mxfp8\" with dispatch=\"fp8\" (scales of other blocks)"},
      Bad{"dispatch=\"fp8\"", "experts=\"2\" active-experts=\"1\"", 8,
          "dispatch without expert parallelism (ep = 1)"},
      Bad{"float8-recipe=\"rowwise\"", "", 8, "float8-recipe=\"rowwise\" without dtype=\"fp8\""},
      Bad{"float8-recipe=\"tensorwise\" dtype=\"fp8\" dispatch=\"fp8\" ep=\"2\"",
          "experts=\"2\" active-experts=\"1\"", 8, "float8-recipe=\"tensorwise\" with dispatch=\"fp8\""},
      Bad{"recompute=\"light\" kernels=\"separate\"", "", 8, "recompute=\"light\" needs kernels=\"fused\""},
      Bad{"shard=\"4\"", "", 8, "shard without shard-parameters=\"on\""},
      Bad{"shard-parameters=\"on\" shard=\"3\"", "", 8, "shard = 3 does not divide dp = 8"},
      Bad{"shard-parameters=\"on\" pp=\"2\" schedule=\"dualpipe\"", "", 8,
          "shard-parameters with schedule=\"dualpipe\""},
      Bad{"shard-parameters=\"on\" shard=\"2\" ep=\"4\"", "experts=\"4\" active-experts=\"1\"", 8,
          "etp x ep = 4 does not divide tp x shard = 2"},
      Bad{"shard-parameters=\"on\" tp=\"2\" etp=\"1\" ep=\"2\" expert-groups=\"replicas\"",
          "experts=\"4\" active-experts=\"1\"", 8, "shard-parameters with expert-groups=\"replicas\""},
      Bad{"capacity-factor=\"1\"", "", 8,
          "capacity-factor, pad-to-capacity or uneven-experts for a model without experts"},
      Bad{"uneven-experts=\"on\" ep=\"2\"", "experts=\"2\" active-experts=\"1\"", 8,
          "uneven-experts=\"on\" without an uneven <gate> over ep > 1"},
      Bad{"capacity-factor=\"1.25\"", "experts=\"2\" active-experts=\"1\"", 8,
          "capacity-factor = 1.25 without a <gate>, expert-balance=\"forced\" or pad-to-capacity=\"on\""},
      Bad{"expert-balance=\"natural\"", "experts=\"2\" active-experts=\"1\"", 8,
          "expert-balance=\"natural\" without a <gate>, which says what experts get"},
      Bad{"expert-balance=\"forced\"", "", 8, "expert-balance for a model without experts"},
      Bad{"expert-balance=\"forced\"", "experts=\"2\" active-experts=\"1\"", 8,
          "a <gate> or expert-balance=\"forced\" without expert parallelism (ep = 1)"},
      Bad{"balance-seed=\"2\"", "experts=\"2\" active-experts=\"1\"", 8,
          "balance-seed without expert-balance=\"forced\""},
      Bad{"pad-to-capacity=\"on\"", "experts=\"2\" active-experts=\"1\"", 8, "without a capacity-factor"},
      Bad{"tp=\"2\" sequence-parallel=\"off\"", "kv-heads=\"0\" rope-dim=\"4\" latent=\"20\"", 8,
          "latent attention (rope-dim) with tp > 1 needs sequence-parallel=\"on\""},
      Bad{"kernels=\"separate\"", "kv-heads=\"0\" rope-dim=\"4\" latent=\"20\"", 8,
          "latent attention (rope-dim) with kernels=\"separate\""},
      Bad{"", "kv-heads=\"2\" rope-dim=\"4\" latent=\"20\"", 8, "kv-heads = 2 with latent attention"},
      Bad{"", "kv-heads=\"0\" rope-dim=\"4\"", 8, "latent = 0 is no more than rope-dim = 4"},
      Bad{"", "full-every=\"2\"", 8, "full-every but no window"},
      Bad{"", "clamped=\"on\"", 8, "clamped=\"on\" but gated=\"off\""},
      Bad{"", "kv-heads=\"0\" rope-dim=\"4\" latent=\"20\" qk-norm=\"on\"", 8,
          "latent attention with window or qk-norm"},
      Bad{"cp=\"2\"", "window=\"16\"", 8, "a model with window and cp > 1"},
      Bad{"kernels=\"separate\"", "window=\"16\"", 8, "a model with window and cp > 1"},
      Bad{"", "q-latent=\"4\"", 8, "value-dim or q-latent but no rope-dim"},
      Bad{"", "shared-experts=\"1\"", 8, "shared-experts or dense-layers but no experts"},
      Bad{"", "dense-ffn=\"8\"", 8, "dense-ffn but no experts"},
      Bad{"", "node-limit=\"4\"", 8, "<model> has node-limit but no experts"},
      Bad{"", "experts=\"2\" active-experts=\"1\" shared-ffn=\"8\"", 8, "shared-ffn but no shared-experts"},
      Bad{"", "experts=\"2\" active-experts=\"1\" dense-layers=\"1\"", 8,
          "dense-layers = 1 with dense-ffn = 0"},
      Bad{"", "experts=\"2\" active-experts=\"1\" dense-layers=\"4\" dense-ffn=\"8\"", 8,
          "dense-layers = 4 leaves none of layers = 4 to experts"},
      Bad{"", "expert-every=\"2\"", 8, "<model> has expert-every but no experts"},
      Bad{"", "experts=\"2\" active-experts=\"1\" expert-every=\"2\"", 8,
          "dense-layers = 0 and expert-every = 2 with dense-ffn = 0"},
      Bad{"", "experts=\"2\" active-experts=\"1\" expert-every=\"5\" dense-ffn=\"8\"", 8,
          "expert-every = 5 leaves none of layers = 4 to experts"},
      Bad{"", "parallel=\"on\" experts=\"2\" active-experts=\"1\"", 8,
          "parallel=\"on\" with experts or latent attention"},
      Bad{"recompute=\"modules\" recompute-modules=\"mlp\"", "parallel=\"on\"", 8,
          "recompute-modules has 'mlp' for a model with parallel=\"on\""},
      Bad{"offload-layers=\"2\" pp=\"2\" schedule=\"zb-h1\"", "", 8,
          "offload-layers with another schedule than 1f1b"},
      Bad{"offload-layers=\"2\" recompute=\"full\"", "", 8, "offload-layers with recompute=\"full\""},
      Bad{"lora-modules=\"linear_qkv\"", "", 8, "lora-modules without a lora-rank"},
      Bad{"lora-rank=\"4\" lora-modules=\"qkv\"", "", 8, "lora-modules has 'qkv' (expected linear_qkv"},
      Bad{"lora-rank=\"4\" lora-modules=\"linear_fc1\"", "experts=\"2\" active-experts=\"1\"", 8,
          "lora-modules has linear_fc1 or linear_fc2 for a model with experts"},
      Bad{"lora-rank=\"4\"", "parallel=\"on\"", 8,
          "lora-rank for a model with latent attention, parallel=\"on\""},
      Bad{"lora-rank=\"4\" pp=\"2\" schedule=\"zb-h1\"", "", 8, "lora-rank with another schedule than 1f1b"},
      Bad{"lora-rank=\"4\" tensor-overlap=\"all\"", "", 8, "lora-rank with tensor-overlap=\"all\""},
      Bad{"lora-rank=\"4\" shard-parameters=\"on\"", "", 8, "lora-rank with shard-parameters"},
      Bad{"", "mamba-heads=\"4\"", 8, "<model> has mamba-heads but no pattern"},
      Bad{"", "pattern=\"M*xM\" mamba-heads=\"8\"", 8, "pattern has 'x' (expected letters M, *, - and E)"},
      Bad{"", "pattern=\"M*\" mamba-heads=\"8\"", 8, "pattern has 2 letters for layers = 4"},
      Bad{"", "pattern=\"M*M-\"", 8, "mamba-heads = 0 with some M in its pattern"},
      Bad{"", "pattern=\"M*M-\" mamba-heads=\"9\"", 8, "mamba-heads = 9 is no multiple of mamba-groups = 8"},
      Bad{"", "pattern=\"*-E-\"", 8, "experts = 0 with some E in its pattern"},
      Bad{"", "pattern=\"*-*-\" mtp-layers=\"1\"", 8, "a pattern with dense-layers"},
      Bad{"cp=\"2\"", "pattern=\"M*M-\" mamba-heads=\"8\"", 8, "a model with a pattern and cp > 1"},
      Bad{"recompute=\"light\"", "pattern=\"M*M-\" mamba-heads=\"8\"", 8,
          "a model with a pattern and recompute"},
      Bad{"tp=\"4\"", "pattern=\"M*M-\" mamba-heads=\"6\" mamba-groups=\"2\"", 8,
          "tp = 4 does not divide mamba-heads = 6"},
      Bad{"", "active-experts=\"1\"", 8, "<model> has active-experts but no experts"},
      Bad{"", "experts=\"2\" active-experts=\"3\"", 8, "<model> active-experts = 3 of experts = 2"});
  CAPTURE(bad.plan, bad.model);
  MadeJob made = make_job_of(std::string("<workload kind=\"training\" global-batch=\"32\" ") + bad.plan +
                                 ">" + small_model(bad.model) + "</workload>",
                             bad.gpus);
  REQUIRE(made.errors.size() == 1);
  CHECK_THAT(made.errors[0], Catch::StartsWith("1: <") && Catch::Contains(bad.message));
}

TEST_CASE("a training workload needs a model and makes its groups itself") {
  CHECK(
      make_job_of("<workload kind=\"training\" global-batch=\"8\"/>", 8).errors ==
      std::vector<std::string>{"1: <workload> kind 'training' lacks its <model catalogue=\"models/...\"/>"});
  CHECK(
      make_job_of(
          "<groups><group name=\"tp\" count=\"2\"/></groups><workload kind=\"training\" global-batch=\"8\">" +
              small_model("") + "</workload>",
          8)
          .errors ==
      std::vector<std::string>{"1: <groups> declares 'tp', which a training workload makes itself"});
}
