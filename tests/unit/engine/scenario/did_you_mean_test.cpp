#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "engine/scenario/scenario.hpp"
#include "engine/scenario/units.hpp"

using namespace lightrail;

TEST_CASE("the closest word is suggested") {
  const std::vector<std::string> known{"radix", "latency", "buffer"};
  CHECK(did_you_mean("radx", known) == "radix");
  CHECK(did_you_mean("ltaency", known) == "latency");
  CHECK(did_you_mean("LATENCY", known) == "latency");
  CHECK(did_you_mean("colour", known) == "");
  CHECK(did_you_mean("x", {"y"}) == "");
  CHECK(did_you_mean("anything", {}) == "");
}

TEST_CASE("long words may differ in a third of their letters") {
  CHECK(did_you_mean("gpus/h100sxm5", {"gpus/a100", "gpus/h100_sxm"}) == "gpus/h100_sxm");
}

TEST_CASE("a longer or shorter form of a word is suggested where nothing is closer") {
  CHECK(did_you_mean("--output", {"--help", "--out"}) == "--out");
  CHECK(did_you_mean("bidirectional", {"unidirectional-ring", "bidi"}) == "bidi");
  CHECK(did_you_mean("lat", {"latency"}) == "");
}

TEST_CASE("an invalid choice lists the choices and the closest") {
  CHECK(invalid_choice("adaptiv", {"static", "ecmp", "adaptive"}) ==
        "invalid choice 'adaptiv' (one of static, ecmp, adaptive; did you mean 'adaptive'?)");
  CHECK(invalid_choice("random", {"static", "ecmp"}) == "invalid choice 'random' (one of static, ecmp)");
}
