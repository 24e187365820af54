#include "workloads/generate/training/model_figures.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/unit/workloads/generate/workload_fixture.hpp"

using namespace lightrail;

TEST_CASE("the parts of every model of the catalogue add up to its parameters") {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator("configs/models")) {
    const std::string name = file.path().stem();
    CAPTURE(name);
    const Transformer model = catalogue_model(name);
    std::int64_t all = 0, active = 0;
    for (const ModelPartParameters& part : model_parts(model)) all += part.parameters, active += part.active;
    CHECK(all == model.total_parameters());
    CHECK(active == model.active_parameters());
    CHECK_THAT(model_text(name, model), Catch::StartsWith(name + "\n") && Catch::Contains("all layers"));
    ++count;
  }
  CHECK(count > 30);
}

TEST_CASE("FLOPs of a token are those that authors report") {
  const auto flops = [](const char* name) { return model_flops(catalogue_model(name), 4096).total() / 1e9; };
  // Megatron Core, arXiv 2603.07685, TFLOP/s over tokens/s: with the module that predicts further, Qwen3s.
  CHECK(flops("deepseek_v3") == Approx(259.8).epsilon(0.01));
  CHECK(flops("qwen3_30b_a3b") == Approx(23.0).epsilon(0.005));
  CHECK(flops("qwen3_235b_a22b") == Approx(148).epsilon(0.005));
}

TEST_CASE("FLOPs of a token by hand: six a weight of the matrices, and a mask's half of the scores") {
  Transformer model;
  model.layers = 3, model.hidden = 64, model.heads = 4, model.ffn = 128, model.vocabulary = 1000;
  const std::int64_t layer = 64 * 3 * 64 + 64 * 64 + 2 * 64 * 128;
  const ModelFlops plain = model_flops(model, 512);
  CHECK(plain.products == 6 * (3 * layer + 64 * 1000));
  CHECK(plain.attention == 3 * 6 * (64 + 64) * 256);
  // Of every two layers one sees 128 keys: a triangle of 128, then 128 each.
  model.window = 128, model.full_every = 2;
  CHECK(model_flops(model, 512).attention == 6 * (64 + 64) * (256 + 2 * ((128.0 * 64 + 384 * 128) / 512)));
  // Experts a token meets, their router, and biases, which multiply nothing.
  model.experts = 8, model.active_experts = 2, model.biases = true;
  CHECK(model_flops(model, 512).products == 6 * (3 * (layer + 2 * 64 * 128 + 64 * 8) + 64 * 1000));
}
