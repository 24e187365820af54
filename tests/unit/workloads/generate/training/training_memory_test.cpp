#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/training/training_memory.hpp"

using namespace lightrail;

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

TEST_CASE("FSDP splits all that is kept; a pipeline's stage keeps parameters and gradients whole beside it") {
  const Transformer model = catalogue_model("mixtral_8x7b");
  TrainingPlan plan;
  plan.shards_parameters = true, plan.dp = 16, plan.ep = 8, plan.global_batch = 16;
  // Of the dense parameters a 16th; experts are on 2 GPUs each, and 8 expert groups hold one each.
  const StageParameters all = stage_parameters(model, plan, 0);
  const TrainingMemory flat = training_memory(model, plan, 0);
  CHECK(all.dense() + 8 * all.expert() == model.total_parameters());
  CHECK(flat.parameters == 2 * (all.dense() / 16 + all.expert() / 2));
  CHECK(flat.optimizer == 6 * flat.parameters);
  const std::int64_t layer = all.layers[0].dense + all.layers[0].expert;
  CHECK(flat.buffers == (2 + 4) * (2 * layer + all.embedding));
  plan.pp = 2;
  const StageParameters half = stage_parameters(model, plan, 0);
  const TrainingMemory stage = training_memory(model, plan, 0);
  CHECK(stage.buffers == (2 + 4) * (half.dense() + half.expert()));
  CHECK(stage.optimizer == 12 * (half.dense() / 16 + half.expert() / 2));
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
  // A copy of a token: its input of 4096 elements, 3 x 14336 inside, in two bytes, 32 layers.
  const std::int64_t copies = 2 * 4096, copy = 2 * (4096 + 3 * 14'336);
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

TEST_CASE("with memory-check=\"warn\" a plan that does not fit is run as it is, and its result says so") {
  const auto made = [](const std::string& memory, const std::string& check) {
    return make_job_of("<cluster><server><gpu memory=\"" + memory +
                           "\"/></server></cluster>\n<workload kind=\"training\" global-batch=\"8\" "
                           "sequence=\"4096\" host=\"none\" memory-check=\"" +
                           check + "\"><model catalogue=\"models/llama3_70b\" layers=\"8\"/></workload>",
                       8);
  };
  CHECK(made("70 GB", "refuse").errors.size() == 1);
  const MadeJob warned = made("70 GB", "warn"), fits = made("800 GB", "refuse");
  REQUIRE(warned.errors.empty());
  REQUIRE(warned.job.notes.size() == 1);
  CHECK_THAT(warned.job.notes[0],
             Catch::StartsWith("by the estimate stage 0 does not fit a GPU of 65.19 GiB (parameters "));
  CHECK(fits.job.notes.empty());
  // Nothing is computed again, and GPUs are asked for no more than they have.
  const Program& program = warned.job.programs.programs.at(0);
  CHECK(program.ops.size() == fits.job.programs.programs.at(0).ops.size());
  CHECK(program.memory_bytes == 70'000'000'000);
}
