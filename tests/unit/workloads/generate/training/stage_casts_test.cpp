#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/training/training_memory.hpp"

using namespace lightrail;

namespace {

// One GPU, one micro-batch of 32 tokens, one layer.
constexpr std::int64_t tokens = 32, hidden = 64, ffn = 128, qkv = 3 * hidden;
constexpr std::int64_t weights = hidden * qkv + hidden * hidden + 2 * hidden * ffn;

Job job_of(const std::string& plan, std::uint32_t gpus = 1, const std::string& model = "",
           std::uint32_t layers = 1) {
  MadeJob made = make_job_of("<workload kind=\"training\" global-batch=\"" + std::to_string(gpus) +
                                 "\" sequence=\"32\" " + plan + "><model layers=\"" + std::to_string(layers) +
                                 "\" hidden=\"64\" heads=\"8\" ffn=\"128\" vocabulary=\"1000\" " + model +
                                 "/></workload>",
                             gpus);
  REQUIRE(made.errors == std::vector<std::string>{});
  return std::move(made.job);
}

/// Bytes and kernels of casts, by name.
std::map<std::string, std::pair<std::int64_t, std::int64_t>> casts(const Job& job) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> all;
  for (const Op& op : job.programs.programs[0].ops) {
    const std::string& name = job.names[op.name];
    if (name.rfind("cast", 0) != 0) continue;
    all[name].first += job.programs.shapes[op.shape].bytes;
    all[name].second += job.programs.shapes[op.shape].batch;
  }
  return all;
}

/// Does `op` start only when `before` has ended?
bool follows(const Program& program, std::uint32_t op, std::uint32_t before) {
  std::vector<bool> ends(op + 1, false);  // with `before` or after it
  ends[before] = true;
  std::map<std::uint16_t, std::uint32_t> last;
  for (std::uint32_t i = 0; i <= op; ++i) {
    const Op& o = program.ops[i];
    if (last.count(o.stream) > 0 && ends[last[o.stream]]) ends[i] = true;
    for (std::uint32_t d = 0; d < o.dependency_count; ++d)
      if (ends[program.dependencies[o.first_dependency + d]]) ends[i] = true;
    last[o.stream] = i;
  }
  return ends[op];
}

std::map<std::string, Scaling> scalings(const Job& job) {
  std::map<std::string, Scaling> all;
  for (const Op& op : job.programs.programs[0].ops)
    if (op.kind == OpKind::compute && job.programs.shapes[op.shape].kind == KernelKind::gemm)
      all[job.names[op.name]] = job.programs.shapes[op.shape].scaling;
  return all;
}

}  // namespace

TEST_CASE("casts move the bytes of their recipe") {
  using Casts = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;
  // Inputs from norms and the activation, and from attention; gradients of both sums and of qkv, and from the
  // activation's.
  const std::int64_t norms = tokens * (2 * hidden + ffn), attention = tokens * hidden;
  const std::int64_t sums = tokens * (2 * hidden + qkv), activation = tokens * ffn;
  CHECK(casts(job_of("")).empty());
  CHECK(casts(job_of("dtype=\"fp8\"")) == Casts{{"cast", {4 * (attention + sums), 4}}});
  CHECK(casts(job_of("dtype=\"fp8\" float8-recipe=\"delayed\"")) == casts(job_of("dtype=\"fp8\"")));
  // A tensor's largest value: a read of 2 bytes more, which norms and activations do on their way.
  CHECK(casts(job_of("dtype=\"fp8\" float8-recipe=\"tensorwise\"")) ==
        Casts{{"cast", {4 * (norms + activation) + 6 * (attention + sums), 8}},
              {"cast weights", {(5 + 3) * weights, 8}}});
  // Rows: written beside what norms and activations write, else read too. Columns: two reads and a byte, of
  // every input and gradient, for the gradients of weights. Weights: rows; going back a transposed copy of
  // two bytes, which is cast.
  CHECK(casts(job_of("dtype=\"fp8\" float8-recipe=\"rowwise\"")) ==
        Casts{{"cast", {norms + activation + 3 * (attention + sums), 8}},
              {"cast weights", {(3 + 7) * weights, 4 + 2 * 4}},
              {"cast columns", {5 * (norms + attention + sums + activation), 8}}});
}

TEST_CASE("rowwise, what is gathered over tp is read and cast behind that, tensorwise before") {
  using Casts = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;
  // Two micro-batches; halves of weights, of attention's inputs and of the inner size. Gathered are the
  // inputs of qkv and ffn in, and the gradients of attention out and ffn out.
  const std::int64_t rows = 2 * tokens, gathered = 4 * rows * hidden, others = rows * (hidden + qkv) / 2,
                     inner = 2 * rows * ffn / 2;
  const std::int64_t columns = rows * (4 * hidden + (qkv + hidden + 2 * ffn) / 2);
  const Casts rowwise{{"cast", {3 * (gathered + others) + inner, 2 * 8}},
                      {"cast weights", {2 * (3 + 7) * weights / 2, 2 * (4 + 2 * 4)}},
                      {"cast columns", {5 * columns, 2 * 8}}};
  CHECK(casts(job_of("dtype=\"fp8\" float8-recipe=\"rowwise\" tp=\"2\"", 2)) == rowwise);
  // Cut in two, what is gathered has two casts.
  Casts cut = rowwise;
  cut["cast"].second += 2 * 4;
  CHECK(casts(job_of("dtype=\"fp8\" float8-recipe=\"rowwise\" tp=\"2\" tensor-overlap=\"all\"", 2)) == cut);
  // Without sequence parallelism nothing is gathered: norms write rows, also of inputs.
  CHECK(casts(job_of("dtype=\"fp8\" float8-recipe=\"rowwise\" tp=\"2\" sequence-parallel=\"off\"", 2))
            .at("cast")
            .first == (2 + 2 * 3) * rows * hidden + 3 * others + inner);
  // Before it is gathered a part is enough.
  CHECK(casts(job_of("dtype=\"fp8\" float8-recipe=\"tensorwise\" tp=\"2\"", 2)).at("cast").first ==
        (2 * 4 + 2 * 6) * rows * hidden / 2 + 6 * others + 4 * inner);
}

TEST_CASE("rowwise casts stand between the gathering of what they cast and its product") {
  const std::string overlap = GENERATE("none", "backward", "all"),
                    schedule = GENERATE("", "schedule=\"zb-h1\"");
  CAPTURE(overlap, schedule);
  const Job job = job_of("dtype=\"fp8\" float8-recipe=\"rowwise\" tp=\"4\" pp=\"2\" tensor-overlap=\"" +
                             overlap + "\" " + schedule,
                         8, "", 2);
  int products = 0;
  for (const Program& program : job.programs.programs) {
    std::uint32_t before = 0, gather = 0;
    for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
      const Op& op = program.ops[i];
      const std::string& name = job.names[op.name];
      if (op.kind == OpKind::collective && op.collective == CollectiveType::all_gather) gather = i;
      if (op.kind != OpKind::compute) continue;
      const bool is_gathered =
          name == "qkv" || name == "ffn in" || name == "attention out dgrad" || name == "ffn out dgrad";
      const bool is_weight_gradient = name == "qkv wgrad" || name == "ffn in wgrad";
      CAPTURE(name, i);
      if (is_gathered || is_weight_gradient) {
        ++products;
        CHECK(job.names[program.ops[before].name] == (is_gathered ? "cast" : "cast columns"));
        // A pass of weights' gradients gathers all its inputs beside its first product.
        if (is_gathered || schedule.empty()) CHECK(follows(program, before, gather));
        if (is_weight_gradient && !schedule.empty()) {
          bool waits = false;
          for (std::uint32_t d = 0; d < program.ops[before].dependency_count; ++d)
            waits |= program.ops[program.dependencies[program.ops[before].first_dependency + d]].collective ==
                     CollectiveType::all_gather;
          CHECK(waits);
        }
      }
      before = i;
    }
  }
  CHECK(products == 2 * 8 * (4 * (overlap == "all" ? 4 : 1) + 2));
}

TEST_CASE("full recomputation casts inputs and weights again, columns once") {
  const auto once = casts(job_of("dtype=\"fp8\" float8-recipe=\"rowwise\"")),
             again = casts(job_of("dtype=\"fp8\" float8-recipe=\"rowwise\" recompute=\"full\""));
  CHECK(again.at("cast").first - once.at("cast").first == tokens * (2 * hidden + ffn) + 3 * tokens * hidden);
  CHECK(again.at("cast weights").first - once.at("cast weights").first == 3 * weights);
  CHECK(again.at("cast columns") == once.at("cast columns"));
  // What is made of kept inputs alone: norms and the activation, in the layout of the other gradient, which
  // the forward pass leaves out.
  const auto light = casts(job_of("dtype=\"fp8\" float8-recipe=\"tensorwise\" recompute=\"light\"")),
             kept = casts(job_of("dtype=\"fp8\" float8-recipe=\"tensorwise\""));
  CHECK(light.at("cast").first - kept.at("cast").first == (3 - 1) * tokens * (2 * hidden + ffn));
}

TEST_CASE("a pass that is computed again casts its inputs in one layout") {
  const std::int64_t norms = tokens * (2 * hidden + ffn), attention = tokens * hidden;
  auto more = [](const std::string& recipe, const std::string& recompute) {
    const std::string plan = "dtype=\"fp8\" float8-recipe=\"" + recipe + "\"";
    return casts(job_of(plan + " recompute=\"" + recompute + "\"")).at("cast").first -
           casts(job_of(plan)).at("cast").first;
  };
  CHECK(more("tensorwise", "full") == (4 - 1) * norms + (6 - 1) * attention);
  CHECK(more("delayed", "full") == (4 - 1) * attention);
  CHECK(more("tensorwise", "selective") == 0);
  CHECK(more("delayed", "light") == 0);
  CHECK(more("rowwise", "light") == 0);
}

TEST_CASE("experts' activations, which no kernel casts on its way, are cast once more where they are again") {
  // Two experts a GPU and their copies of tokens; shared experts' and norms' layouts are left out and made
  // again, by tensors.
  const std::int64_t rows = 2 * tokens, shared = tokens * (2 * hidden + ffn);
  auto casts_of = [](const std::string& recipe, const std::string& recompute) {
    return casts(job_of("dtype=\"fp8\" ep=\"2\" float8-recipe=\"" + recipe + "\" recompute=\"" + recompute +
                            "\"",
                        2, "experts=\"4\" active-experts=\"2\" shared-experts=\"1\" shared-ffn=\"128\""))
        .at("cast");
  };
  for (const char* recipe : {"delayed", "tensorwise", "rowwise"}) {
    CAPTURE(recipe);
    const auto none = casts_of(recipe, "none"), light = casts_of(recipe, "light");
    const std::string name = recipe;
    const std::int64_t activations = name == "rowwise" ? 0 : (3 - 1) * rows * ffn;
    CHECK(light.first - none.first == activations + (name == "tensorwise" ? (3 - 1) * shared : 0));
    // A kernel an expert, and of what norms and the shared activation write.
    CHECK(light.second - none.second == (name == "rowwise" ? 0 : 2) + (name == "tensorwise" ? 3 : 0));
  }
}

TEST_CASE("latent attention casts what its products take, an input of two products once") {
  // 8 heads: queries of 8 + 4, keys and values of 8 and 8 out of a latent of 16, 4 more are the keys'
  // positions.
  const std::int64_t latent = 20, kv = 16, queries = 96, values = 64, up = 128;
  const std::int64_t q_latent = GENERATE(0, 24);
  const std::string text = "rope-dim=\"4\" head-dim=\"8\" value-dim=\"8\" latent=\"20\"" +
                           std::string(q_latent > 0 ? " q-latent=\"24\"" : "");
  auto casts_of = [&](const std::string& recipe, const std::string& recompute) {
    return casts(
        job_of("dtype=\"fp8\" float8-recipe=\"" + recipe + "\" recompute=\"" + recompute + "\"", 1, text));
  };
  CAPTURE(q_latent);
  const std::int64_t norms = tokens * (2 * hidden + ffn + kv + q_latent), attention = tokens * values;
  const std::int64_t fused = tokens * (latent + q_latent + ffn),
                     others = tokens * (2 * hidden + up + queries);
  const std::int64_t up_weights = kv * up + (q_latent > 0 ? q_latent : hidden) * queries;
  const std::int64_t all = up_weights + hidden * (latent + q_latent) + values * hidden + 2 * hidden * ffn;
  const auto rows = casts_of("rowwise", "none"), tensors = casts_of("tensorwise", "none");
  CHECK(rows.at("cast").first == norms + fused + 3 * (attention + others));
  CHECK(rows.at("cast columns").first == 5 * (norms + fused + attention + others));
  CHECK(rows.at("cast weights").first == (3 + 7) * all);
  CHECK(tensors.at("cast").first == 4 * (norms + fused) + 6 * (attention + others));
  CHECK(tensors.at("cast weights").first == (5 + 3) * all);
  // Again: norms, the activation and products out of latents, or of queries out of the input.
  const auto rows_again = casts_of("rowwise", "light"), tensors_again = casts_of("tensorwise", "light");
  const std::int64_t multiplied = tokens * (kv + (q_latent > 0 ? q_latent : hidden));
  CHECK(rows_again.at("cast").first - rows.at("cast").first == multiplied);
  CHECK(rows_again.at("cast weights").first - rows.at("cast weights").first == 3 * up_weights);
  CHECK(rows_again.at("cast columns") == rows.at("cast columns"));
  CHECK(tensors_again.at("cast").first - tensors.at("cast").first ==
        (4 - 1) * multiplied + (3 - 1) * (norms - multiplied));
  CHECK(tensors_again.at("cast weights").first - tensors.at("cast weights").first == 5 * up_weights);
}

TEST_CASE("shared experts cast as a dense feed-forward does") {
  // A dense layer's casts less its attention, over tp too.
  const std::string recipe = GENERATE("tensorwise", "rowwise");
  const std::uint32_t tp = GENERATE(1u, 2u);
  CAPTURE(recipe, tp);
  const std::string plan = "dtype=\"fp8\" float8-recipe=\"" + recipe + "\" tp=\"" + std::to_string(tp) + "\"";
  const std::string experts = "experts=\"4\" active-experts=\"2\"";
  const Job dense = job_of(plan, tp), routed = job_of(plan, tp, experts),
            shared = job_of(plan, tp, experts + " shared-experts=\"1\" shared-ffn=\"128\"");
  auto of_inner = [](const Job& job, const std::string& prefix) {
    std::map<std::string, std::int64_t> bytes;
    const Op* before = nullptr;
    for (const Op& op : job.programs.programs[0].ops) {
      if (op.kind != OpKind::compute) continue;
      const std::string& name = job.names[op.name];
      if (name.rfind(prefix, 0) == 0 && before && job.names[before->name].rfind("cast", 0) == 0)
        bytes[name.substr(prefix.size())] += job.programs.shapes[before->shape].bytes;
      before = &op;
    }
    return bytes;
  };
  CHECK(of_inner(dense, "ffn").size() >= 2);
  CHECK(of_inner(shared, "shared experts") == of_inner(dense, "ffn"));
  for (const auto& [name, bytes] : casts(shared)) CHECK(bytes.first - casts(routed).at(name).first > 0);
}

TEST_CASE("what predicts further casts the projection's input as its norms write it") {
  auto cast_bytes = [](const std::string& recipe, const std::string& recompute, const std::string& further) {
    return casts(job_of("dtype=\"fp8\" float8-recipe=\"" + recipe + "\" recompute=\"" + recompute + "\"", 1,
                        further))
        .at("cast")
        .first;
  };
  // A further layer has the casts of a layer, and the projection those of two norms' output and one gradient.
  const std::int64_t each = tokens * hidden;
  for (const char* recompute : {"none", "light", "full"})
    for (const char* recipe : {"tensorwise", "rowwise"}) {
      CAPTURE(recompute, recipe);
      const std::int64_t layer = cast_bytes(recipe, recompute, ""),
                         two = cast_bytes(recipe, recompute, "mtp-layers=\"1\"");
      const bool is_light = std::string(recompute) == "light";
      if (std::string(recipe) == "rowwise")
        CHECK(two - 2 * layer == 1 * 2 * each + 3 * each);
      else
        CHECK(two - 2 * layer == (is_light ? 3 + 3 : 4) * 2 * each + 6 * each);
    }
}

TEST_CASE("products have the recipe's scaling, the output layer and routers none") {
  for (const auto& [name, scaling] : scalings(job_of("dtype=\"fp8\" float8-recipe=\"rowwise\""))) {
    CAPTURE(name);
    CHECK((scaling == Scaling::rowwise) == (name.rfind("logits", 0) != 0));
  }
  const Job experts =
      job_of("dtype=\"fp8\" float8-recipe=\"rowwise\" ep=\"2\"", 2, "experts=\"4\" active-experts=\"2\"");
  for (const auto& [name, scaling] : scalings(experts)) {
    CAPTURE(name);
    CHECK((scaling == Scaling::rowwise) == (name.rfind("logits", 0) != 0 && name.rfind("router", 0) != 0));
  }
  for (const char* recipe : {"delayed", "tensorwise"})
    for (const auto& [name, scaling] :
         scalings(job_of(std::string("dtype=\"fp8\" float8-recipe=\"") + recipe + "\"")))
      CHECK(scaling == Scaling::tensorwise);
}

TEST_CASE("experts' weights are cast expert by expert") {
  const Job job =
      job_of("dtype=\"fp8\" float8-recipe=\"rowwise\" ep=\"2\"", 2, "experts=\"4\" active-experts=\"2\"");
  // Two products of two experts each, and attention's two.
  const std::int64_t bytes = (3 + 7) * (2 * 2 * hidden * ffn + hidden * (qkv + hidden));
  CHECK(casts(job).at("cast weights") == std::pair<std::int64_t, std::int64_t>{bytes, (1 + 2) * (2 * 2 + 2)});
}

TEST_CASE("types with scales of blocks are cast in both layouts once, weights not at all") {
  const std::string type = GENERATE("mxfp8", "nvfp4");
  const DataType dtype = type == "mxfp8" ? DataType::mxfp8 : DataType::nvfp4;
  const std::int64_t reads = dtype == DataType::nvfp4 ? 4 : 2;  // NVFP4 looks for the largest value first
  const auto moved = [&](std::int64_t elements) { return reads * elements + 2 * bytes_of(dtype, elements); };
  // Forward what norms and the activation wrote and the attention's output; backward four gradients.
  const std::int64_t by_norms = moved(tokens * hidden) * 2 + moved(tokens * ffn),
                     others = moved(tokens * hidden);
  const std::int64_t backward = 2 * moved(tokens * hidden) + moved(tokens * ffn) + moved(tokens * qkv);
  const auto bytes = [&](const std::string& more) { return casts(job_of("dtype=\"" + type + "\" " + more)); };
  const auto whole = bytes(""), fused = bytes("fused-casts=\"on\"");
  CHECK(whole.count("cast weights") == 0);
  CHECK(whole.at("cast") == std::pair<std::int64_t, std::int64_t>{by_norms + others + backward, 8});
  CHECK(fused.at("cast") == std::pair<std::int64_t, std::int64_t>{others + backward, 5});
}

TEST_CASE("a rowwise input is kept in two bytes for the gradient of weights") {
  const Transformer model = catalogue_model("llama3_8b");
  TrainingPlan plan;
  plan.dtype = DataType::fp8, plan.sequence = 8192, plan.global_batch = 1;
  const std::int64_t one = light_activation_bytes(model, plan, 0);
  plan.float8_recipe = Float8Recipe::tensorwise;
  CHECK(light_activation_bytes(model, plan, 0) == one);
  plan.float8_recipe = Float8Recipe::rowwise;
  // Attention's output and both inner halves.
  CHECK(light_activation_bytes(model, plan, 0) - one == 8192 * (4096 + 2 * 14336));
}
