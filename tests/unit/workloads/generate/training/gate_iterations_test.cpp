#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/training/gate_history.hpp"
#include "workloads/program/check.hpp"

using namespace lightrail;

namespace {

/// A program in full but for what is expected of its exchanges.
std::vector<std::string> work_of(const Job& job, std::uint32_t index) {
  std::vector<std::string> all;
  const auto text_of = [](const std::vector<double>& shares) {
    std::string text;
    for (double share : shares) text += ' ' + std::to_string(share);
    return text;
  };
  for (const Op& op : job.programs.programs[index].ops) {
    const KernelShape s = op.kind == OpKind::compute ? job.programs.shapes[op.shape] : KernelShape{};
    all.push_back(job.names[op.name] + ' ' + std::to_string(op.bytes) + ' ' + std::to_string(s.m) + ' ' +
                  std::to_string(s.bytes) + ' ' + (op.root == known_before ? "known" : "") +
                  text_of(job.programs.splits[op.split].share));
  }
  return all;
}

/// Programs of a stage, iteration by iteration.
std::vector<std::uint32_t> iterations_of(const Job& job, std::uint32_t stage) {
  std::vector<std::uint32_t> all{stage};
  while (job.programs.programs[all.back()].next != itself)
    all.push_back(job.programs.programs[all.back()].next);
  return all;
}

}  // namespace

TEST_CASE("over iterations a drift goes on: each is the step that begins at its micro-batch") {
  // A capacity drops tokens: kernels of experts, and what their tensor-parallel parts gather, change in size
  // too.
  const std::string uneven = "uneven-experts=\"on\" capacity-factor=\"1.25\" ";
  struct Plan {
    std::string attributes;
    std::uint32_t stages;
    std::size_t micro_batches;  // a step
  };
  for (const Plan& plan : {Plan{"", 1, 2}, Plan{uneven, 1, 2}, Plan{uneven + "tp=\"2\" etp=\"2\"", 1, 4},
                           Plan{uneven + "pp=\"2\"", 2, 4}})
    for (const std::string& load :
         {std::string("<gate tokens=\"40 0; 30 10\" rotate=\"on\" "), std::string("<gate zipf=\"1.5\" ")}) {
      const auto at = [](std::size_t first) {
        return "drift=\"0.2\" first-micro-batch=\"" + std::to_string(first) + "\" ";
      };
      INFO(load << plan.attributes);
      const MadeJob made =
          gated_training(load + at(3) + "over-iterations=\"on\"/>", plan.attributes + " iterations=\"3\"");
      REQUIRE(made.errors == std::vector<std::string>{});
      for (std::size_t i = 0; i < 3; ++i) {
        const MadeJob alone = gated_training(load + at(3 + i * plan.micro_batches) + "/>", plan.attributes);
        REQUIRE(alone.errors == std::vector<std::string>{});
        for (std::uint32_t stage = 0; stage < plan.stages; ++stage) {
          const std::vector<std::uint32_t> programs = iterations_of(made.job, stage);
          REQUIRE(programs.size() == 3);
          CHECK(work_of(made.job, programs[i]) == work_of(alone.job, stage));
          CHECK((i == 0 || work_of(made.job, programs[i]) != work_of(made.job, programs[i - 1])));
        }
      }
      CHECK(made.job.programs.programs.back().role ==
            "stage " + std::to_string(plan.stages - 1) + ", iteration 2");
      GroupTable groups;
      for (const GroupKind& kind : made.job.groups) groups.add(kind, made.job.gpu_count);
      ErrorList errors;
      check_programs(made.job.programs, groups, made.job.names, {}, errors);
      CHECK(errors.is_empty());
    }
}

TEST_CASE("unless it is asked for, all iterations have one program") {
  const MadeJob made =
      gated_training("<gate zipf=\"1\" drift=\"0.2\" over-iterations=\"off\"/>", "iterations=\"3\"");
  REQUIRE(made.errors == std::vector<std::string>{});
  CHECK(made.job.programs.iterations == 3);
  CHECK(made.job.programs.programs.size() == 1);
}

TEST_CASE("what is expected of an iteration's first micro-batch is what the iteration before ended with") {
  const std::string gate = "<gate tokens=\"40 0; 40 0\" drift=\"0.25\" over-iterations=\"on\"/>";
  const MadeJob past = gated_training(gate, "iterations=\"2\"");
  REQUIRE(past.errors == std::vector<std::string>{});
  const auto dispatches = [](const Job& job, std::uint32_t program) {
    std::vector<Op> all;
    for (const Op& op : job.programs.programs[program].ops)
      if (op.collective == CollectiveType::all_to_all && op.root != known_before) all.push_back(op);
    return all;
  };
  const std::vector<Op> first = dispatches(past.job, 0), second = dispatches(past.job, 1);
  REQUIRE(first.size() == 4);  // two micro-batches of two layers
  REQUIRE(second.size() == 4);
  for (std::size_t layer = 0; layer < 2; ++layer) {
    CHECK(first[layer].root == 0);
    CHECK(second[layer].root == expects_split + first[2 + layer].split);
    CHECK(second[2 + layer].root == expects_split + second[layer].split);
  }
  // Learned transitions go on as within a step: layer 1 is known from layer 0 at once.
  const MadeJob learned =
      gated_training("<gate tokens=\"40 0; 40 0\" rotate=\"on\" drift=\"1\" over-iterations=\"on\"/>",
                     "iterations=\"2\"", 16, Prediction::learned);
  REQUIRE(learned.errors == std::vector<std::string>{});
  const Op op = dispatches(learned.job, 1)[1];
  const auto& splits = learned.job.programs.splits;
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(splits[op.root - expects_split].share[i] == Approx(splits[op.split].share[i]).margin(0.02));
}

TEST_CASE("micro-batches of the step before are not taken for this one's of the same number") {
  GateHistory history;
  history.dispatched[1] = {7, 0};
  history.end_step(1);
  CHECK(history.dispatched[1].micro_batch == -1);
  CHECK(history.dispatched[1].split == 7);
}

TEST_CASE("an iteration needs the memory of its own loads") {
  const auto bytes_of = [](const std::string& over, int first) {
    const MadeJob made = gated_training("<gate tokens=\"20 20; 30 10\" drift=\"0.25\" first-micro-batch=\"" +
                                            std::to_string(first) + "\" over-iterations=\"" + over + "\"/>",
                                        "iterations=\"3\"");
    REQUIRE(made.errors == std::vector<std::string>{});
    std::vector<std::int64_t> bytes;
    for (const Program& program : made.job.programs.programs) bytes.push_back(program.memory_bytes);
    return bytes;
  };
  const std::vector<std::int64_t> bytes = bytes_of("on", 0);
  REQUIRE(bytes.size() == 3);
  for (int i = 0; i < 3; ++i) CHECK(bytes[i] == bytes_of("off", 2 * i)[0]);
  CHECK(bytes[1] != bytes[0]);
}
