#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include "tests/unit/generate/workload_fixture.hpp"
#include "workloads/generate/expected_traffic.hpp"
#include "workloads/generate/training_memory.hpp"
#include "workloads/pipeline_schedule.hpp"

using namespace lightrail;

namespace {

std::string small_model(const std::string& more) {
  return std::string("<model layers=\"4\" hidden=\"64\" heads=\"8\" ffn=\"128\" vocabulary=\"1000\" ") +
         (more.find("kv-heads") == std::string::npos ? "kv-heads=\"4\" " : "") + more + "/>";
}

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
  read_training_plan(workload, model, c.gpus, plan, errors);
  errors.throw_if_any();
  TrainingTraffic closed = training_traffic(model, plan);
  std::vector<std::string> dimensions{"tp", "dp", "ep", "pp"};
  std::vector<std::int64_t> closed_bytes{closed.tp, closed.dp, closed.ep, closed.pp};
  if (plan.cp > 1) dimensions.push_back("cp"), closed_bytes.push_back(closed.cp);
  REQUIRE(made.job.dimensions == dimensions);
  CHECK(expected_traffic(made.job) == closed_bytes);
  if (c.gpus > 1) CHECK(closed.tp + closed.dp + closed.ep + closed.pp > 0);
}

TEST_CASE("the catalogue's models have the parameters their authors state") {
  auto billions = [](const char* name) {
    return static_cast<double>(catalogue_model(name).total_parameters()) / 1e9;
  };
  CHECK(billions("gpt3_175b") == Approx(174.6).epsilon(0.001));  // table 2.1: 175.0 B
  // SC'21, table 1: one decimal, without biases and positions, which weigh more in the small ones.
  CHECK(billions("gpt3_1_7b") == Approx(1.7).epsilon(0.03));
  CHECK(billions("gpt3_3_6b") == Approx(3.6).epsilon(0.02));
  CHECK(billions("gpt3_7_5b") == Approx(7.5).epsilon(0.01));
  CHECK(billions("gpt3_18_4b") == Approx(18.4).epsilon(0.003));
  CHECK(billions("gpt3_39_1b") == Approx(39.1).epsilon(0.003));
  CHECK(billions("gpt3_76_1b") == Approx(76.1).epsilon(0.003));
  CHECK(billions("gpt3_145_6b") == Approx(145.6).epsilon(0.003));
  CHECK(billions("gpt3_310_1b") == Approx(310.1).epsilon(0.003));
  CHECK(billions("gpt3_529_6b") == Approx(529.6).epsilon(0.003));
  CHECK(billions("gpt3_1t") == Approx(1008.0).epsilon(0.003));
  CHECK(billions("llama2_7b") == Approx(6.74).epsilon(0.001));
  CHECK(billions("llama2_13b") == Approx(13.02).epsilon(0.001));
  CHECK(billions("llama2_70b") == Approx(68.98).epsilon(0.001));
  CHECK(billions("llama3_1_405b") == Approx(405.9).epsilon(0.001));
  CHECK(billions("qwen3_30b_a3b") == Approx(30.5).epsilon(0.002));
  CHECK(static_cast<double>(catalogue_model("qwen3_30b_a3b").active_parameters()) / 1e9 ==
        Approx(3.3).epsilon(0.02));
  CHECK(billions("deepseek_v3") == Approx(671.026).epsilon(1e-6));  // 671 B
  // 37 B; both embedding tables are in here, of which a token meets a row of one.
  CHECK(static_cast<double>(catalogue_model("deepseek_v3").active_parameters()) / 1e9 ==
        Approx(37.0).epsilon(0.02));
  CHECK(billions("deepseek_r1") == billions("deepseek_v3"));
  CHECK(billions("gpt_oss_120b") == Approx(116.8).epsilon(0.002));
  CHECK(billions("llama3_8b") == Approx(8.03).epsilon(0.001));
  CHECK(billions("llama3_70b") == Approx(70.55).epsilon(0.001));
  CHECK(billions("mixtral_8x7b") == Approx(46.70).epsilon(0.001));   // 47 B
  CHECK(billions("mixtral_8x22b") == Approx(140.6).epsilon(0.001));  // 141 B
  CHECK(static_cast<double>(catalogue_model("mixtral_8x7b").active_parameters()) / 1e9 ==
        Approx(12.88).epsilon(0.001));  // 13 B
}

TEST_CASE("what predicts a token further is a layer, a projection and three norms beside shared tables") {
  const Transformer model = catalogue_model("deepseek_v3");
  REQUIRE(model.mtp_layers == 1);
  TrainingPlan plan;
  plan.pp = 2, plan.dp = plan.ep = 64, plan.global_batch = 256;
  plan.stage_layers = {31, 30};
  Transformer plain = model;
  plain.mtp_layers = 0;
  const StageParameters with = stage_parameters(model, plan, 1), without = stage_parameters(plain, plan, 1);
  const std::int64_t table = 129'280 * 7168, module = 2 * 7168 * 7168 + 3 * 7168;
  CHECK(with.layers.size() == without.layers.size() + 1);
  CHECK(with.layers.back().dense == without.layers.back().dense + module);
  CHECK(with.layers.back().expert == without.layers.back().expert);
  // The last stage needs the embedding too; with DualPipe it has it anyway.
  CHECK(with.embedding == without.embedding + table);
  plan.schedule = Schedule::dualpipe;
  CHECK(stage_parameters(model, plan, 0).embedding == stage_parameters(plain, plan, 0).embedding);
  CHECK(stage_parameters(model, plan, 0).dense() == stage_parameters(model, plan, 1).dense());
  // README of deepseek-ai/DeepSeek-V3: 14 B, with copies of both tables.
  CHECK(static_cast<double>(model.layer_parameters(61) + module + 2 * table) / 1e9 ==
        Approx(14).epsilon(0.04));
  plan.schedule = Schedule::one_f_one_b;
  const TrainingMemory more = training_memory(model, plan, 1), less = training_memory(plain, plan, 1);
  // Two heads' logits and a gradient for one's and a gradient.
  CHECK(more.logits * 2 == less.logits * 3);
  // A layer, the inputs of two norms and of the projection.
  CHECK(more.activations - less.activations == layer_activation_bytes(model, plan, 61) + 4 * 2 * 4096 * 7168);
}

TEST_CASE("all stages together hold the model once, where nothing is padded or copied") {
  Transformer model = catalogue_model("mixtral_8x7b");
  TrainingPlan plan;
  plan.pp = 4;
  plan.ep = 8;
  plan.dp = 8;
  std::int64_t dense = 0, expert = 0;
  for (std::uint32_t stage = 0; stage < plan.pp; ++stage) {
    dense += stage_parameters(model, plan, stage).dense();
    expert += stage_parameters(model, plan, stage).expert() * plan.ep;
  }
  CHECK(dense + expert == model.total_parameters());
}

TEST_CASE("1F1B runs ahead by the stages that follow and alternates after that") {
  using P = ChunkPass;
  constexpr PassKind F = PassKind::forward, B = PassKind::backward;
  CHECK(interleaved_schedule(1, 2, 1, 2) == std::vector<P>{{F, 0, 0}, {B, 0, 0}, {F, 0, 1}, {B, 0, 1}});
  CHECK(interleaved_schedule(0, 2, 1, 3) ==
        std::vector<P>{{F, 0, 0}, {F, 0, 1}, {B, 0, 0}, {F, 0, 2}, {B, 0, 1}, {B, 0, 2}});
  CHECK(interleaved_schedule(0, 8, 1, 2) == std::vector<P>{{F, 0, 0}, {F, 0, 1}, {B, 0, 0}, {B, 0, 1}});
}

TEST_CASE("a stage holds the passes of its schedule's start and one more") {
  Transformer model = catalogue_model("llama3_8b");
  model.layers = 24;
  TrainingPlan plan;
  plan.pp = 4;
  plan.global_batch = 16;
  for (std::uint32_t chunks : {1u, 2u, 3u})
    for (std::uint32_t stage = 0; stage < 4; ++stage) {
      plan.chunks = chunks;
      const std::int64_t start = chunks == 1 ? 3 - stage : 2 * (3 - stage) + (chunks - 1) * 4;
      CHECK(training_memory(model, plan, stage).activations ==
            (start + 1) * (6 / chunks) * layer_activation_bytes(model, plan, 0));
    }
}

TEST_CASE(
    "ZB-H1 keeps a micro-batch a stage, the part of it that gradients of weights need where it has gone "
    "back") {
  Transformer model = catalogue_model("llama3_8b");
  TrainingPlan plan;
  plan.pp = 4;
  plan.global_batch = 16;
  const std::int64_t layer = layer_activation_bytes(model, plan, 0),
                     owed = layer_weight_gradient_bytes(model, plan, 0);
  CHECK(owed <= layer);
  plan.schedule = Schedule::zb_h1;
  for (std::uint32_t stage = 0; stage < 4; ++stage)
    CHECK(training_memory(model, plan, stage).activations == 8 * ((4 - stage) * layer + stage * owed));
}

TEST_CASE("DualPipe keeps the parameters of two stages and p + 1 micro-batches at most") {
  Transformer model = catalogue_model("llama3_8b");
  TrainingPlan plan, both;
  plan.pp = both.pp = 4;
  plan.global_batch = both.global_batch = 16;
  both.schedule = Schedule::dualpipe;
  for (std::uint32_t stage = 0; stage < 4; ++stage) {
    const TrainingMemory a = training_memory(model, plan, stage), b = training_memory(model, plan, 3 - stage),
                         two = training_memory(model, both, stage);
    CHECK(two.parameters == a.parameters + b.parameters);
    CHECK(two.gradients == a.gradients + b.gradients);
    CHECK(two.optimizer == Approx(0.5 * static_cast<double>(a.optimizer + b.optimizer)).epsilon(1e-6));
    CHECK(two.activations == 8 * 5 * layer_activation_bytes(model, plan, 0));
  }
}

TEST_CASE("a GPU keeps 18 bytes a parameter without a distributed optimiser and FP32 gradients") {
  Transformer model = catalogue_model("llama3_8b");
  TrainingPlan plan;
  plan.distributed_optimizer = false;
  plan.dp = 8;
  plan.global_batch = 8;
  TrainingMemory m = training_memory(model, plan, 0);
  CHECK(m.parameters + m.gradients + m.optimizer == 18 * model.total_parameters());
  plan.distributed_optimizer = true;
  CHECK(training_memory(model, plan, 0).optimizer ==
        Approx(12.0 * static_cast<double>(model.total_parameters()) / 8).epsilon(1e-6));
}

TEST_CASE("moments in BF16 take four bytes a parameter less, kept and moved by the optimiser") {
  const Transformer model = catalogue_model("llama3_8b");
  TrainingPlan plan;
  const std::int64_t fp32 = training_memory(model, plan, 0).optimizer;
  plan.moments = DataType::bf16;
  CHECK(training_memory(model, plan, 0).optimizer * 12 == fp32 * 8);
  auto moved = [](const std::string& moments) {
    const MadeJob made = make_job_of("<workload kind=\"training\" global-batch=\"1\" moments=\"" + moments +
                                         "\">" + small_model("") + "</workload>",
                                     1);
    REQUIRE(made.errors.empty());
    for (const Op& op : made.job.programs.programs[0].ops)
      if (made.job.names[op.name] == "optimizer") return made.job.programs.shapes[op.shape].bytes;
    return std::int64_t{0};
  };
  // FP32 gradient read; copy and moments read and written; parameters written.
  CHECK(moved("fp32") % (4 + 2 * 12 + 2) == 0);
  CHECK(moved("bf16") * (4 + 2 * 12 + 2) == moved("fp32") * (4 + 2 * 8 + 2));
}

TEST_CASE("full recompute keeps a layer's input and one layer's activations") {
  Transformer model = catalogue_model("llama3_8b");
  TrainingPlan plan;
  plan.recompute = Recompute::full;
  TrainingMemory m = training_memory(model, plan, 0);
  CHECK(m.activations == 32ll * 4096 * 4096 * 2 + layer_activation_bytes(model, plan, 0));
}

TEST_CASE("under an uneven gate the memory is that of the GPU whose experts take the most tokens") {
  Transformer model = catalogue_model("mixtral_8x7b");
  TrainingPlan plan;
  plan.ep = plan.dp = 8;
  plan.global_batch = 8;
  auto activations = [&] { return training_memory(model, plan, 0).activations; };
  const std::int64_t even = activations();
  // Everybody sends a quarter to member 0 and as much as is left to each of the others: it takes twice as
  // much.
  for (int from = 0; from < 8; ++from)
    for (int to = 0; to < 8; ++to) plan.gate.tokens.push_back(to == 0 ? 9 : 1);
  plan.gate.rows = plan.gate.size = 8;
  // A copy of a token: its input and its output of 4096 elements, 3 x 14336 inside, in two bytes, 32 layers.
  const std::int64_t copies = 2 * 4096, copy = 2 * (2 * 4096 + 3 * 14'336);
  CHECK(activations() - even == 32 * (copies / 2 * 7) * copy);
  SECTION("a capacity of 1.5 keeps no more than half of the copies again") {
    plan.capacity_factor = 1.5;
    CHECK(activations() - even == 32 * (copies / 2) * copy);
  }
  SECTION("with a gate that turns, every member is the first of 8 layers once") {
    plan.gate.rotates = true;
    CHECK(activations() == even);
    model.layers = 33;  // member 0 leads in the last one again
    const std::int64_t turned = activations();
    plan.gate.tokens.clear();
    CHECK(turned - activations() == copies / 2 * 7 * copy);
  }
  SECTION("with a gate that drifts, every micro-batch in flight counts with its own load") {
    plan.pp = 2, plan.global_batch = 16;
    plan.gate.drift = 4;  // the load is on member 0, then on member 4, then on member 0
    const std::int64_t hot = layer_activation_bytes(model, plan, 0, 4.5),
                       cold = layer_activation_bytes(model, plan, 0, 0.5);
    CHECK(training_memory(model, plan, 0).activations == 16 * (hot + cold));
    CHECK(training_memory(model, plan, 1).activations == 16 * hot);
    plan.gate.drift = 0;
    CHECK(training_memory(model, plan, 0).activations == 16 * 2 * hot);
  }
  SECTION("... in the turns of both directions of DualPipe") {
    plan.pp = 2, plan.global_batch = 32, plan.schedule = Schedule::dualpipe;
    plan.gate.drift = 4;  // micro-batches of one direction load member 0, those of the other member 4
    const std::int64_t hot = layer_activation_bytes(model, plan, 0, 4.5),
                       cold = layer_activation_bytes(model, plan, 0, 0.5);
    // Of the pp + 1 = 3 passes that a stage holds at most, two are of one direction.
    CHECK(training_memory(model, plan, 0).activations == 16 * (2 * hot + cold));
  }
  SECTION("what waits for the gradients of weights counts too") {
    plan.dp = 4, plan.pp = 2, plan.ep = 4, plan.schedule = Schedule::zb_h1;
    plan.gate.tokens = {5, 1, 1, 1, 5, 1, 1, 1, 5, 1, 1, 1, 5, 1, 1, 1};
    plan.gate.rows = plan.gate.size = 4;
    plan.global_batch = 16;
    const double load = 4 * 5.0 / 8;
    const std::int64_t layer = layer_activation_bytes(model, plan, 0, load),
                       owed = layer_weight_gradient_bytes(model, plan, 0, load);
    for (std::uint32_t stage = 0; stage < 2; ++stage)
      CHECK(training_memory(model, plan, stage).activations == 16 * ((2 - stage) * layer + stage * owed));
  }
}

TEST_CASE("light recomputation keeps the masks of dropout, a byte an element, two a layer") {
  const Transformer model = catalogue_model("llama3_8b");
  TrainingPlan plan;
  plan.recompute = GENERATE(Recompute::none, Recompute::light);
  const std::int64_t without = training_memory(model, plan, 0).activations;
  plan.dropout = true;
  // Light: beside the 32 layers, the one at work.
  const std::int64_t layers = plan.recompute == Recompute::light ? 33 : 32;
  CHECK(training_memory(model, plan, 0).activations - without == layers * 2 * 4096 * 4096);
}

TEST_CASE("a plan that does not fit is refused with the table of what takes how much") {
  std::string cluster = "<cluster><server><gpu memory=\"80 GB\"/></server></cluster>";
  MadeJob made = make_job_of(cluster +
                                 "\n<workload kind=\"training\" global-batch=\"8\" sequence=\"4096\"><model "
                                 "catalogue=\"models/llama3_70b\"/></workload>",
                             8);
  REQUIRE(made.errors.size() == 1);
  CHECK_THAT(
      made.errors[0],
      Catch::StartsWith("2: <workload> kind 'training': stage 0 does not fit a GPU of 74.51 GiB (parameters "
                        "131.42 GiB, gradients 262.83 GiB, optimiser 98.56 GiB, activations "));
}

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
      Bad{"scatter-gather=\"on\"", "", 8, "scatter-gather=\"on\" needs sequence-parallel=\"off\""},
      Bad{"sequence-parallel=\"off\" tensor-overlap=\"all\"", "", 8,
          "tensor-overlap=\"all\" needs sequence-parallel"},
      Bad{"pp=\"4\" edges-count=\"on\"", "", 8, "pp = 4 does not divide layers + 2 (edges-count=\"on\") = 6"},
      Bad{"pp=\"2\" chunks=\"2\" edges-count=\"on\"", "", 8, "edges-count=\"on\" with chunks > 1"},
      Bad{"overlap-parameters=\"on\" distributed-optimizer=\"off\"", "", 8,
          "overlap-parameters needs distributed-optimizer"},
      Bad{"bucket-size=\"1000\"", "", 8, "bucket-size needs overlap-gradients=\"on\""},
      Bad{"bucket-size=\"1\" overlap-gradients=\"on\"", "", 8,
          "bucket-size = 1 (a collective needs at least 10000 parameters)"},
      Bad{"pp=\"2\" stage-layers=\"2x3\"", "", 8,
          "is 2 stages of 6 layers together (expected pp = 2 of layers = 4)"},
      Bad{"pp=\"2\" stage-layers=\"1x3 1y1\"", "", 8, "has '1y1' (expected stages x layers: 13x4)"},
      Bad{"pp=\"2\" stage-layers=\"1x3 1x1\" chunks=\"2\"", "", 8, "with chunks > 1 or edges-count"},
      Bad{"dispatch=\"fp8\"", "experts=\"2\" active-experts=\"1\"", 8,
          "dispatch without expert parallelism (ep = 1)"},
      Bad{"recompute=\"light\" kernels=\"separate\"", "", 8, "recompute=\"light\" needs kernels=\"fused\""},
      Bad{"shard=\"4\"", "", 8, "shard without shard-parameters=\"on\""},
      Bad{"shard-parameters=\"on\" shard=\"3\"", "", 8, "shard = 3 does not divide dp = 8"},
      Bad{"shard-parameters=\"on\"", "mtp-layers=\"1\"", 8, "shard-parameters with mtp-layers"},
      Bad{"shard-parameters=\"on\" pp=\"2\"", "", 8, "shard-parameters with pp > 1"},
      Bad{"capacity-factor=\"1\"", "", 8,
          "capacity-factor, pad-to-capacity or uneven-experts for a model without experts"},
      Bad{"uneven-experts=\"on\" ep=\"2\"", "experts=\"2\" active-experts=\"1\"", 8,
          "uneven-experts=\"on\" without an uneven <gate> over ep > 1"},
      Bad{"capacity-factor=\"1.25\"", "experts=\"2\" active-experts=\"1\"", 8,
          "capacity-factor = 1.25 without a <gate> or pad-to-capacity=\"on\""},
      Bad{"pad-to-capacity=\"on\"", "experts=\"2\" active-experts=\"1\"", 8, "without a capacity-factor"},
      Bad{"tp=\"2\"", "kv-heads=\"0\" rope-dim=\"4\" latent=\"20\"", 8,
          "latent attention (rope-dim) with tp > 1"},
      Bad{"", "kv-heads=\"2\" rope-dim=\"4\" latent=\"20\"", 8, "kv-heads = 2 with latent attention"},
      Bad{"", "kv-heads=\"0\" rope-dim=\"4\"", 8, "latent = 0 is no more than rope-dim = 4"},
      Bad{"", "q-latent=\"4\"", 8, "value-dim or q-latent but no rope-dim"},
      Bad{"", "shared-experts=\"1\"", 8, "shared-experts or dense-layers but no experts"},
      Bad{"", "dense-ffn=\"8\"", 8, "dense-ffn but no experts"},
      Bad{"", "node-limit=\"4\"", 8, "<model> has node-limit but no experts"},
      Bad{"", "experts=\"2\" active-experts=\"1\" shared-ffn=\"8\"", 8, "shared-ffn but no shared-experts"},
      Bad{"", "experts=\"2\" active-experts=\"1\" dense-layers=\"1\"", 8,
          "dense-layers = 1 with dense-ffn = 0"},
      Bad{"", "experts=\"2\" active-experts=\"1\" dense-layers=\"4\" dense-ffn=\"8\"", 8,
          "dense-layers = 4 leaves none of layers = 4 to experts"},
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
