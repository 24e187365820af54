#include "app/plan/candidates.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

using namespace lightrail;

namespace {

std::string value(const PlanAttributes& plan, const std::string& name) {
  for (const auto& [each, text] : plan)
    if (each == name) return text;
  return "missing";
}

}  // namespace

TEST_CASE("layers that do not divide are spread evenly, the ends shorter") {
  CHECK(even_layers(32, 8) == "even");
  CHECK(even_layers(94, 8) == "1x11 6x12 1x11");
  CHECK(even_layers(61, 16) == "2x3 13x4 1x3");
  CHECK(even_layers(3, 2) == "1x1 1x2");
}

TEST_CASE("plans differ, have the same attributes in the same order, and take all GPUs") {
  const std::vector<PlanAttributes> plans = plan_candidates({.gpus = 16, .domain = 8, .layers = 12});
  REQUIRE(!plans.empty());
  const std::set<PlanAttributes> different(plans.begin(), plans.end());
  CHECK(different.size() == plans.size());
  for (const PlanAttributes& plan : plans) {
    REQUIRE(plan.size() == plans[0].size());
    for (std::size_t i = 0; i < plan.size(); ++i) CHECK(plan[i].first == plans[0][i].first);
    CHECK(16 % (std::stoi(value(plan, "tp")) * std::stoi(value(plan, "pp"))) == 0);
    CHECK(std::stoi(value(plan, "tp")) <= 8);
    CHECK(std::stoi(value(plan, "pp")) * std::stoi(value(plan, "chunks")) <= 12);
    CHECK(value(plan, "cp") == "1");
    CHECK(value(plan, "ep") == "1");
    CHECK(value(plan, "etp") == "0");
    if (value(plan, "shard-parameters") == "on") CHECK(value(plan, "pp") == "1");
  }
}

TEST_CASE("experts, long contexts and the scenario's own values open more ways") {
  auto values = [](const PlanSpace& space, const char* name) {
    std::set<std::string> all;
    for (const PlanAttributes& plan : plan_candidates(space)) all.insert(value(plan, name));
    return all;
  };
  PlanSpace space{.gpus = 64, .domain = 8, .layers = 8, .experts = 12};
  CHECK(values(space, "ep") == std::set<std::string>{"1", "2", "4"});  // powers of two that divide 12
  CHECK(values(space, "etp") == std::set<std::string>{"0", "1"});
  space.cp = 2;
  CHECK(values(space, "cp") == std::set<std::string>{"1", "2"});
  space.sequence = 131'072;
  CHECK(values(space, "cp") == std::set<std::string>{"1", "2", "4", "8", "16", "32"});
  space.recompute = "modules", space.modules = "layernorm moe_act";
  CHECK(values(space, "recompute") == std::set<std::string>{"none", "selective", "full", "modules"});
}

TEST_CASE("stages and chunks are what GPUs and layers divide into") {
  auto has = [](const PlanSpace& space, const std::string& pp, const std::string& chunks) {
    const auto plans = plan_candidates(space);
    return std::any_of(plans.begin(), plans.end(), [&](const PlanAttributes& plan) {
      return value(plan, "pp") == pp && value(plan, "chunks") == chunks;
    });
  };
  // Narayanan et al. 2021: 105 layers in 35 stages; NVIDIA's recipe of 94 layers, 4 stages of 12 chunks.
  CHECK(has({.gpus = 2240, .domain = 8, .layers = 105}, "35", "3"));
  CHECK(has({.gpus = 256, .domain = 64, .layers = 94}, "4", "12"));
  CHECK(has({.gpus = 256, .domain = 64, .layers = 94}, "4", "8"));
  CHECK(!has({.gpus = 256, .domain = 64, .layers = 94}, "4", "7"));
  CHECK(!has({.gpus = 256, .domain = 64, .layers = 94}, "3", "1"));
}

TEST_CASE("where the scenario counts edges as layers, plans say that they do not") {
  PlanSpace space{.gpus = 8, .domain = 8, .layers = 6};
  for (const PlanAttributes& plan : plan_candidates(space))
    CHECK(plan_text(plan).find("edges-count") == std::string::npos);
  space.edges_count = true;
  for (const PlanAttributes& plan : plan_candidates(space))
    CHECK(plan_text(plan).find("edges-count=off") != std::string::npos);
}

TEST_CASE("a plan is written as the attributes that are not usual") {
  const std::vector<PlanAttributes> plans =
      plan_candidates({.gpus = 8, .domain = 8, .layers = 6, .experts = 8});
  std::vector<std::string> texts;
  for (const PlanAttributes& plan : plans) texts.push_back(plan_text(plan));
  CHECK(texts[0] == "tp=1 pp=1 micro-batch=1 recompute=none");
  CHECK(std::count(texts.begin(), texts.end(),
                   "tp=2 pp=4 ep=8 etp=1 stage-layers=\"1x1 2x2 1x1\" micro-batch=2 recompute=full") == 1);
  CHECK(std::set<std::string>(texts.begin(), texts.end()).size() <= texts.size());
}
