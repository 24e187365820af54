#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/training/load_predictor.hpp"

using namespace lightrail;

namespace {

std::vector<Op> exchanges(const Job& job) {
  std::vector<Op> all;
  for (const Op& op : job.programs.programs[0].ops)
    if (op.collective == CollectiveType::all_to_all) all.push_back(op);
  return all;
}

}  // namespace

TEST_CASE("without a gate tokens spread evenly and only a forward dispatch is not known before") {
  const MadeJob made = gated_training("");
  REQUIRE(made.errors.empty());
  // Two micro-batches of two layers: dispatch, combine, and both transposed backward.
  std::vector<std::uint32_t> known;
  for (const Op& op : exchanges(made.job)) {
    CHECK(op.split == 0);
    known.push_back(op.root);
  }
  CHECK(std::count(known.begin(), known.end(), 0u) == 4);
  CHECK(std::count(known.begin(), known.end(), known_before) == 12);
  CHECK(known[0] == 0);
}

TEST_CASE("a gate shapes the exchanges: combine sends back what dispatch brought") {
  // Both members send three quarters to member 0: it receives 1.5 times what a member sends.
  const MadeJob made = gated_training("<gate tokens=\"30 10; 30 10\"/>");
  REQUIRE(made.errors.empty());
  const auto all = exchanges(made.job);
  const auto& splits = made.job.programs.splits;
  REQUIRE(splits.size() == 3);  // the unused one, dispatch, combine: equal ones are kept once
  CHECK(splits[all[0].split].share == std::vector<double>{0.75, 0.25, 0.75, 0.25});
  CHECK(splits[all[1].split].share == std::vector<double>{0.5, 0.5, 1.0 / 6, 5.0 / 6});
  CHECK(all[1].bytes == all[0].bytes * 3 / 2);
  // Back: 0.5 of 1.5 is what member 1 sent to 0, three quarters of 1; 1/6 of 1.5 what 0 sent to 1, a quarter.
  CHECK(0.5 * static_cast<double>(all[1].bytes) == Approx(0.75 * static_cast<double>(all[0].bytes)));
}

TEST_CASE("a gate that rotates sends every layer's tokens one member further") {
  const MadeJob made = gated_training("<gate tokens=\"30 10; 30 10\" rotate=\"on\"/>");
  REQUIRE(made.errors.empty());
  CHECK(made.job.programs.splits.size() == 5);
  const auto all = exchanges(made.job);
  CHECK(made.job.programs.splits[all[2].split].share == std::vector<double>{0.25, 0.75, 0.25, 0.75});
}

TEST_CASE("neighbours of a larger group share rows and columns evenly") {
  const MadeJob made = make_job_of(
      "<workload kind=\"training\" global-batch=\"8\" sequence=\"64\" ep=\"4\"><model layers=\"1\" "
      "hidden=\"64\" "
      "heads=\"8\" kv-heads=\"4\" ffn=\"128\" vocabulary=\"1000\" experts=\"4\" active-experts=\"2\"/>"
      "<gate tokens=\"30 10; 10 30\"/></workload>",
      4);
  REQUIRE(made.errors.empty());
  const auto& share = made.job.programs.splits[exchanges(made.job)[0].split].share;
  CHECK(share == std::vector<double>{0.375, 0.375, 0.125, 0.125, 0.375, 0.375, 0.125, 0.125,  //
                                     0.125, 0.125, 0.375, 0.375, 0.125, 0.125, 0.375, 0.375});
}

TEST_CASE("skew takes shares to a power") {
  const MadeJob made = gated_training("<gate tokens=\"30 10; 30 10\" skew=\"2\"/>");
  REQUIRE(made.errors.empty());
  const auto& splits = made.job.programs.splits;
  CHECK(splits[exchanges(made.job)[0].split].share == std::vector<double>{0.9, 0.1, 0.9, 0.1});
  CHECK(gated_training("<gate tokens=\"30 10; 30 10\" skew=\"0\"/>").job.programs.splits.size() <= 1);
}

TEST_CASE("Zipf's law shares a layer's tokens out among its experts, and members get the sum of theirs") {
  // Four experts, exponent 1: 1, 1/2, 1/3, 1/4 over 25/12 are 0.48, 0.24, 0.16, 0.12; two on each member.
  const std::vector<double> of_two{0.72, 0.64, 0.60, 0.40, 0.36, 0.28};
  const auto loads = [&](const std::string& gate) {
    const MadeJob made = make_job_of(
        "<workload kind=\"training\" global-batch=\"8\" sequence=\"64\" ep=\"2\"><model layers=\"24\" "
        "hidden=\"64\" heads=\"8\" ffn=\"128\" vocabulary=\"1000\" experts=\"4\" active-experts=\"2\"/>" +
            gate + "</workload>",
        4);
    REQUIRE(made.errors == std::vector<std::string>{});
    std::vector<double> first;  // the first member's share, by layer
    for (const Op& op : exchanges(made.job)) {
      if (op.root == known_before) continue;
      const auto& share = made.job.programs.splits[op.split].share;
      REQUIRE(share.size() == 4);
      CHECK(share[0] == share[2]);
      CHECK(share[0] + share[1] == Approx(1));
      CHECK(std::any_of(of_two.begin(), of_two.end(), [&](double s) { return share[0] == Approx(s); }));
      first.push_back(share[0]);
    }
    REQUIRE(first.size() == 48);  // two micro-batches of a layer, which have the same
    CHECK(std::equal(first.begin(), first.begin() + 24, first.begin() + 24));
    return first;
  };
  const std::vector<double> of_one = loads("<gate zipf=\"1\" seed=\"5\"/>");
  CHECK(std::set<double>(of_one.begin(), of_one.end()).size() == 6);
  CHECK(loads("<gate zipf=\"1\" seed=\"5\"/>") == of_one);
  CHECK(loads("<gate zipf=\"1\" seed=\"6\"/>") != of_one);
  CHECK(gated_training("<gate zipf=\"0\"/>").job.programs.splits.size() <= 1);
}

TEST_CASE("a step that comes later has drifted further, whatever makes its load") {
  const auto first = [](const std::string& gate) {
    const MadeJob made = gated_training(gate);
    REQUIRE(made.errors == std::vector<std::string>{});
    return made.job.programs.splits[exchanges(made.job)[0].split].share;
  };
  CHECK(first("<gate tokens=\"40 0; 40 0\" drift=\"0.25\" first-micro-batch=\"2\"/>") ==
        std::vector<double>{0.5, 0.5, 0.5, 0.5});
  const std::vector<double> zipf = first("<gate zipf=\"1\"/>");
  const std::vector<double> later = first("<gate zipf=\"1\" drift=\"0.25\" first-micro-batch=\"4\"/>");
  CHECK(later[0] == Approx(zipf[1]));
  CHECK(later[1] == Approx(zipf[0]));
}

TEST_CASE("drift moves the load on, and what comes is expected to be what the micro-batch before had") {
  const MadeJob made = gated_training("<gate tokens=\"40 0; 40 0\" drift=\"0.25\"/>");
  REQUIRE(made.errors.empty());
  const auto& splits = made.job.programs.splits;
  std::vector<Op> dispatches;
  for (const Op& op : exchanges(made.job))
    if (op.root != known_before) dispatches.push_back(op);
  REQUIRE(dispatches.size() == 4);  // two micro-batches of two layers
  CHECK(splits[dispatches[0].split].share == std::vector<double>{1, 0, 1, 0});
  CHECK(dispatches[0].root == 0);  // nothing is known of a first one
  CHECK(splits[dispatches[2].split].share == std::vector<double>{0.75, 0.25, 0.75, 0.25});
  CHECK(dispatches[2].root == expects_split + dispatches[0].split);
}

TEST_CASE("a step of DualPipe drifts through the loads that the other schedules' steps drift through") {
  const std::string gate = "<gate tokens=\"40 0; 40 0\" drift=\"0.125\"/>";
  auto loads = [&](const std::string& schedule) {
    const MadeJob made = make_job_of(
        "<workload kind=\"training\" global-batch=\"16\" sequence=\"64\" ep=\"2\" pp=\"2\" schedule=\"" +
            schedule +
            "\"><model layers=\"2\" hidden=\"64\" heads=\"8\" ffn=\"128\" vocabulary=\"1000\" experts=\"4\" "
            "active-experts=\"2\"/>" +
            gate + "</workload>",
        4);
    REQUIRE(made.errors == std::vector<std::string>{});
    // What member 0 sends itself in forward dispatches.
    std::set<double> shares;
    for (const Program& program : made.job.programs.programs)
      for (const Op& op : program.ops)
        if (op.collective == CollectiveType::all_to_all && op.root != known_before)
          shares.insert(made.job.programs.splits[op.split].share[0]);
    return shares;
  };
  // Eight micro-batches of a replica: an eighth further with each.
  const std::set<double> expected{1, 0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125};
  CHECK(loads("1f1b") == expected);
  CHECK(loads("dualpipe") == expected);
}

TEST_CASE("learned transitions expect a layer's load where the layer before lets it go") {
  // Layer 0 sends all to m % 2 in micro-batch m, layer 1 to (m + 1) % 2: never where it went the time before.
  const MadeJob made =
      gated_training("<gate tokens=\"40 0; 40 0\" rotate=\"on\" drift=\"1\"/>", "", 16, Prediction::learned);
  REQUIRE(made.errors.empty());
  const auto& splits = made.job.programs.splits;
  std::vector<Op> dispatches;
  for (const Op& op : exchanges(made.job))
    if (op.root != known_before) dispatches.push_back(op);
  REQUIRE(dispatches.size() == 8);  // four micro-batches of two layers
  CHECK(dispatches[1].root == 0);   // nothing is known of a first one
  const Op &first = dispatches[6], &second = dispatches[7];
  CHECK(first.root == expects_split + dispatches[4].split);  // of a stage's first layer: the past
  const auto& expected = splits[second.root - expects_split].share;
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(expected[i] == Approx(splits[second.split].share[i]).margin(0.02));
}

TEST_CASE("a stage of DualPipe learns no transitions between micro-batches of its two directions") {
  // Stage 0 has layers 0, 1 for one direction and 2, 3 for the other: layer 2's tokens come from the other
  // stage.
  const MadeJob made = make_job_of(
      "<workload kind=\"training\" global-batch=\"16\" sequence=\"64\" ep=\"2\" pp=\"2\" "
      "schedule=\"dualpipe\">"
      "<model layers=\"4\" hidden=\"64\" heads=\"8\" ffn=\"128\" vocabulary=\"1000\" experts=\"4\" "
      "active-experts=\"2\"/><gate tokens=\"40 0; 30 10\" rotate=\"on\" drift=\"0.125\"/></workload>",
      4, 0, Prediction::learned);
  REQUIRE(made.errors == std::vector<std::string>{});
  int past = 0, learned = 0;
  for (const Program& program : made.job.programs.programs) {
    std::set<std::uint32_t> sent;
    std::size_t dispatches = 0;
    for (const Op& op : program.ops) {
      if (op.collective != CollectiveType::all_to_all || op.root == known_before) continue;
      const bool is_first_layer = dispatches++ % 2 == 0;  // of a chunk of two
      if (op.root != 0) {
        const bool was_sent = sent.count(op.root - expects_split) > 0;
        if (is_first_layer) CHECK(was_sent);
        ++(was_sent ? past : learned);
      }
      sent.insert(op.split);
    }
  }
  CHECK(past > 0);
  CHECK(learned > 0);
}

TEST_CASE(
    "learned transitions of the published gate are off by at most two hundredths, the past by what has "
    "drifted") {
  // MixNet's matrix, 12 micro-batches of two layers, a gate a layer. How far guesses are off, as a share of
  // the tokens, mean over the last four micro-batches of the second layer.
  const std::string gate =
      "<gate rotate=\"on\" tokens=\"9810 5338 1231 3042 4452 2004 841 6050; 9278 6282 839 3722 3821 2903 909 "
      "5014; 10684 5165 1044 2634 4344 3333 675 4889; 10897 5629 1086 2114 2762 3463 1059 5758; 8684 5666 "
      "1046 "
      "3955 4334 2952 944 5187; 8361 5908 777 3043 3984 3422 897 6376; 10208 5507 1117 4148 3967 3119 904 "
      "3798; "
      "9781 5211 902 3343 4289 2839 1008 5395\" drift=\"";
  struct Row {
    const char* drift;
    double past, learned;
  };
  for (const Row& row :
       {Row{"0", 0.0, 0.012}, Row{"0.25", 0.091, 0.017}, Row{"0.5", 0.182, 0.014}, Row{"1", 0.3634, 0.005}}) {
    const auto off = [&](Prediction predicts) {
      const MadeJob made = make_job_of(
          "<workload kind=\"training\" global-batch=\"96\" sequence=\"64\" ep=\"8\"><model layers=\"2\" "
          "hidden=\"64\" "
          "heads=\"8\" kv-heads=\"4\" ffn=\"128\" vocabulary=\"1000\" experts=\"8\" active-experts=\"2\"/>" +
              gate + row.drift + "\"/></workload>",
          8, 0, predicts);
      REQUIRE(made.errors.empty());
      const auto& splits = made.job.programs.splits;
      double sum = 0;
      int count = 0, dispatches = 0;
      for (const Op& op : exchanges(made.job)) {
        if (op.root == known_before || dispatches++ % 2 == 0 || dispatches <= 16) continue;
        sum += distance(8, splits[op.root - expects_split].share, splits[op.split].share);
        ++count;
      }
      REQUIRE(count == 4);
      return sum / count;
    };
    INFO("drift " << row.drift << " past " << off(Prediction::past) << " learned "
                  << off(Prediction::learned));
    CHECK(off(Prediction::past) == Approx(row.past).margin(0.001));
    CHECK(off(Prediction::learned) == Approx(row.learned).margin(0.002));
  }
}

TEST_CASE("gates that do not fit the groups are refused with the numbers") {
  const auto error = [](const std::string& gate) {
    const MadeJob made = gated_training(gate);
    return made.errors.empty() ? std::string() : made.errors[0];
  };
  CHECK_THAT(
      error("<gate tokens=\"1 2 3; 3 4 5; 5 6 7\"/>"),
      Catch::Contains("<gate> attribute 'tokens': 3 rows do not divide the 2 members of an expert group"));
  CHECK_THAT(error("<gate tokens=\"1 2 3; 4 5 6\"/>"), Catch::Contains("row 0 has 3 numbers, expected 2"));
  for (const char* row : {"3 x", "0 0", "-1 4"})
    CHECK_THAT(error("<gate tokens=\"1 2; " + std::string(row) + "\"/>"),
               Catch::Contains("row 1 is not made of numbers of tokens, some above 0"));
  CHECK_THAT(error("<gate tokens=\"1 2; 3 4\" zipf=\"1\"/>"),
             Catch::Contains("<gate> has both tokens and zipf"));
  CHECK_THAT(error("<gate zipf=\"1\" skew=\"2\"/>"), Catch::Contains("<gate> has zipf with skew or rotate"));
  CHECK_THAT(error("<gate tokens=\"1 2; 3 4\" seed=\"2\"/>"),
             Catch::Contains("<gate> has a seed but no zipf"));
  CHECK_THAT(error("<gate zipf=\"1\" first-micro-batch=\"2\"/>"),
             Catch::Contains("<gate> has first-micro-batch but no drift"));
  CHECK_THAT(error("<gate zipf=\"1\" over-iterations=\"on\"/>"),
             Catch::Contains("<gate> has over-iterations but no drift"));
  CHECK_THAT(error("<gate/>"), Catch::Contains("<gate> lacks the required attribute 'tokens'"));
}
