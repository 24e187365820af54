#include "app/cli/describe_model.hpp"

#include <catch2/catch.hpp>

#include <string>

#include "engine/base/error.hpp"

namespace lightrail {

using Catch::Matchers::Contains;

namespace {

std::string described(const std::string& name) {
  CommandLine line;
  line.positional = {"model", name};
  line.catalogue = "configs";
  return described_model(line);
}

}  // namespace

TEST_CASE("a model of the catalogue is described by its name, with or without the folder") {
  const std::string text = described("deepseek_v3");
  CHECK(described("models/deepseek_v3") == text);
  CHECK_THAT(text,
             Contains("61 layers, 58 with experts and 3 dense; 1 to predict further (MTP), hidden 7168"));
  CHECK_THAT(text, Contains("latents of 512 and 1536"));
  CHECK_THAT(text, Contains("256 experts of 2048, 8 a token, shared 2048, dense layers 18432"));
  CHECK_THAT(text, Contains("671.026"));
  CHECK_THAT(described("llama4_maverick"), Contains("48 layers, 24 with experts (each 2) and 24 dense"));
}

TEST_CASE("what is no model of the catalogue is not described") {
  CHECK_THROWS_AS(described("lama3_70b"), InputErrors);
  CHECK_THROWS_AS(described("gpus/h100_sxm"), InputErrors);
}

}  // namespace lightrail
