#include <catch2/catch.hpp>

#include <cstdint>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/training/training_memory.hpp"

using namespace lightrail;

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
  CHECK(billions("palm_8b") == Approx(8.63).epsilon(0.001));
  CHECK(billions("palm_62b") == Approx(62.50).epsilon(0.001));
  CHECK(billions("palm_540b") == Approx(540.35).epsilon(0.001));
  CHECK(billions("llama3_8b") == Approx(8.03).epsilon(0.001));
  CHECK(billions("llama3_70b") == Approx(70.55).epsilon(0.001));
  CHECK(billions("mixtral_8x7b") == Approx(46.70).epsilon(0.001));   // 47 B
  CHECK(billions("mixtral_8x22b") == Approx(140.6).epsilon(0.001));  // 141 B
  CHECK(static_cast<double>(catalogue_model("mixtral_8x7b").active_parameters()) / 1e9 ==
        Approx(12.88).epsilon(0.001));  // 13 B
}

TEST_CASE("of Llama 4 Maverick every second layer has experts, of Scout every one") {
  const Transformer maverick = catalogue_model("llama4_maverick"), scout = catalogue_model("llama4_scout");
  CHECK(maverick.moe_layers() == 24);
  CHECK(scout.moe_layers() == 48);
  for (std::int64_t layer = 0; layer < 48; ++layer) CHECK(maverick.is_moe_layer(layer) == (layer % 2 == 1));
  // By hand: attention 5120 (40 + 2 x 8) 128 + 40 x 128 x 5120, an expert and the shared one 3 x 5120 x 8192,
  // a router 5120 an expert, dense layers 3 x 5120 x 16384, norms, two tables of 202,048 tokens.
  const std::int64_t attention = 5120 * 56 * 128 + 5120 * 5120, expert = 3 * 5120 * 8192;
  const std::int64_t rest = 48 * (attention + 2 * 5120) + 5120 + 2 * 202'048 * 5120;
  const std::int64_t dense = 3 * 5120 * 16'384;
  CHECK(maverick.total_parameters() == 24 * (129 * expert + 128 * 5120) + 24 * dense + rest);
  CHECK(maverick.active_parameters() == 24 * (2 * expert + 128 * 5120) + 24 * dense + rest);
  CHECK(scout.total_parameters() == 48 * (17 * expert + 16 * 5120) + rest + 48 * 2 * 128);
  // Meta's model cards: 400 and 109 B in all, these with the image encoder; 17 B for a token.
  CHECK(static_cast<double>(maverick.total_parameters()) / 1e9 == Approx(400).epsilon(0.01));
  CHECK(static_cast<double>(scout.total_parameters()) / 1e9 == Approx(109).epsilon(0.02));
  CHECK(static_cast<double>(maverick.active_parameters()) / 1e9 == Approx(17).epsilon(0.02));
  CHECK(static_cast<double>(scout.active_parameters()) / 1e9 == Approx(17).epsilon(0.02));
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
  CHECK(more.logits == 2 * less.logits);
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
