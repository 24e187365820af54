#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/training/interleave.hpp"

using namespace lightrail;

namespace {

constexpr const char* dense =
    "<model layers=\"8\" hidden=\"64\" heads=\"8\" ffn=\"128\" vocabulary=\"1000\" biases=\"on\"/>";
constexpr const char* experts =
    "<model layers=\"8\" hidden=\"64\" heads=\"8\" ffn=\"128\" vocabulary=\"1000\" experts=\"8\" "
    "active-experts=\"2\"/>";
constexpr const char* latent =
    "<model layers=\"8\" hidden=\"64\" heads=\"8\" head-dim=\"8\" rope-dim=\"4\" latent=\"20\" "
    "q-latent=\"24\" "
    "ffn=\"128\" vocabulary=\"1000\"/>";
constexpr const char* further =
    "<model layers=\"8\" hidden=\"64\" heads=\"8\" ffn=\"128\" vocabulary=\"1000\" mtp-layers=\"2\"/>";

Job job_of(const std::string& plan, const char* model, std::uint32_t gpus) {
  MadeJob made =
      make_job_of("<workload kind=\"training\" sequence=\"32\" " + plan + ">" + model + "</workload>", gpus);
  REQUIRE(made.errors == std::vector<std::string>{});
  return std::move(made.job);
}

/// Passes of a program: what lies between two markers that name one.
std::string pass_of(const Job& job, const Op& op, const std::string& before) {
  return op.kind == OpKind::marker ? job.names[op.name] : before;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// How often every kernel and every collective occurs in a program.
std::map<std::string, int> work_of(const Job& job, const Program& program) {
  std::map<std::string, int> count;
  for (const Op& op : program.ops)
    if (op.kind == OpKind::compute) {
      const KernelShape& s = job.programs.shapes[op.shape];
      ++count[job.names[op.name] + " " + std::to_string(s.m) + " " + std::to_string(s.n) + " " +
              std::to_string(s.k) + " " + std::to_string(s.batch) + " " + std::to_string(s.bytes)];
    } else if (op.kind != OpKind::marker) {
      ++count[job.names[op.name] + " " + std::to_string(op.bytes)];
    }
  return count;
}

}  // namespace

TEST_CASE("ZB-H1 computes and sends what 1F1B does, the gradients of weights in passes of their own") {
  const char* more = GENERATE("", "tensor-overlap=\"all\"", "recompute=\"full\"", "kernels=\"separate\"",
                              "dtype=\"fp8\" float8-recipe=\"rowwise\"",
                              "dtype=\"fp8\" float8-recipe=\"rowwise\" tensor-overlap=\"all\"",
                              "dtype=\"fp8\" float8-recipe=\"tensorwise\" recompute=\"light\"");
  const char* model = GENERATE(dense, experts, further, latent);
  CAPTURE(more, model);
  if (model == latent && std::string(more) == "kernels=\"separate\"") return;  // refused
  const std::string plan = std::string("tp=\"2\" pp=\"4\" global-batch=\"8\" ") + more;
  const Job plain = job_of(plan, model, 8), split = job_of(plan + " schedule=\"zb-h1\"", model, 8);
  for (std::uint32_t stage = 0; stage < 4; ++stage) {
    CHECK(work_of(plain, plain.programs.programs[stage]) == work_of(split, split.programs.programs[stage]));
    // 2 m n k of the products of each pass: the two halves of the backward pass are equal.
    std::map<std::string, double> flops;
    std::string pass;
    for (const Op& op : split.programs.programs[stage].ops) {
      pass = pass_of(split, op, pass);
      if (op.kind != OpKind::compute) continue;
      const KernelShape& s = split.programs.shapes[op.shape];
      const std::string& name = split.names[op.name];
      const bool is_input = ends_with(name, " dgrad"), is_weight = ends_with(name, " wgrad");
      if (s.kind != KernelKind::gemm || name == "context dgrad" || (!is_input && !is_weight)) continue;
      CHECK(pass.rfind(is_input ? "input gradient" : "weight gradient", 0) == 0);
      flops[pass] += 2.0 * static_cast<double>(s.m * s.n * s.k * s.batch);
    }
    CHECK(flops.size() == 16);
    const double each = flops["input gradient 0"];
    CHECK(each > 0);
    // Products cut into tp parts for overlap count each part; only the input's are cut.
    for (const auto& [name, value] : flops) CHECK(value == each);
  }
}

TEST_CASE(
    "FSDP in a pipeline gathers a stage once a step, a layer ahead, and reduces with the last backward "
    "pass") {
  const char* schedule = GENERATE("1f1b", "zb-h1");
  CAPTURE(schedule);
  const Job job =
      job_of(std::string("pp=\"2\" shard-parameters=\"on\" global-batch=\"16\" ep=\"2\" schedule=\"") +
                 schedule + "\"",
             experts, 8);
  // 4 layers of experts and dense parts, and the edge; each expert is on two GPUs.
  for (const Program& program : job.programs.programs) {
    std::string pass;
    std::map<std::string, int> gathers, scatters;
    for (const Op& op : program.ops) {
      pass = pass_of(job, op, pass);
      if (op.kind != OpKind::collective || job.names[op.name].rfind("dp ", 0) != 0) continue;
      ++(op.collective == CollectiveType::all_gather ? gathers : scatters)[pass];
    }
    const char* last = std::string(schedule) == "1f1b" ? "backward 3" : "weight gradient 3";
    CHECK(gathers == std::map<std::string, int>{{"forward 0", 4 * 2 + 1}});
    CHECK(scatters == std::map<std::string, int>{{last, 4 * 2 + 1}});
  }
}

TEST_CASE("DualPipe computes each direction as 1F1B does its stage, and meets the members of its groups") {
  const char* more =
      GENERATE("", "overlap-gradients=\"on\" overlap-parameters=\"on\"", "ep=\"2\" gradients=\"bf16\"");
  CAPTURE(more);
  const std::string plan = std::string("pp=\"4\" global-batch=\"32\" ") + more;
  const Job plain = job_of(plan, experts, 8), both = job_of(plan + " schedule=\"dualpipe\"", experts, 8);
  auto passes = [](const Job& job, std::uint32_t stage) {
    std::map<std::string, int> count;
    for (auto& [name, times] : work_of(job, job.programs.programs[stage]))
      if (name.rfind("dp ", 0) != 0 && name.rfind("gradient norm", 0) != 0 &&
          name.rfind("optimizer", 0) != 0 && name.rfind("zero", 0) != 0)
        count[name] += times;
    return count;
  };
  for (std::uint32_t stage = 0; stage < 4; ++stage) {
    // Half of the micro-batches of the stage and half of those of its mirror.
    std::map<std::string, int> halves;
    for (std::uint32_t s : {stage, 3 - stage})
      for (auto& [name, times] : passes(plain, s)) halves[name] += times;
    for (auto& [name, times] : halves) times /= 2;
    CHECK(passes(both, stage) == halves);
  }
}

TEST_CASE(
    "in a job of DualPipe no operation depends on a later one, and mirror stages share their gradients") {
  const Job job = job_of("pp=\"4\" ep=\"2\" tp=\"2\" global-batch=\"16\"", experts, 16);
  const Job both =
      job_of("pp=\"4\" ep=\"2\" tp=\"2\" global-batch=\"16\" schedule=\"dualpipe\"", experts, 16);
  for (const Program& program : both.programs.programs)
    for (std::uint32_t i = 0; i < program.ops.size(); ++i)
      for (std::uint32_t d = 0; d < program.ops[i].dependency_count; ++d)
        CHECK(program.dependencies[program.ops[i].first_dependency + d] < i);
  auto group = [](const Job& of, const char* name) {
    return *std::find_if(of.groups.begin(), of.groups.end(),
                         [&](const GroupKind& g) { return g.name == name; });
  };
  // 4 GPUs a stage, tp 2: GPU 0, 2 of stage 0 with 12, 14 of stage 3.
  CHECK(group(job, "dp").listed.empty());
  CHECK(group(both, "dp").listed[0] ==
        std::vector<EndpointId>{EndpointId{0}, EndpointId{2}, EndpointId{12}, EndpointId{14}});
  CHECK(group(both, "expert-dp").listed[3] == std::vector<EndpointId>{EndpointId{3}, EndpointId{15}});
}

TEST_CASE("passes of DualPipe that run together begin with both inputs, and send when both have ended") {
  const bool has_experts = GENERATE(false, true);
  const Job job = job_of(
      std::string("pp=\"4\" global-batch=\"32\" schedule=\"dualpipe\"") + (has_experts ? " ep=\"2\"" : ""),
      has_experts ? experts : dense, 8);
  const Program& program = job.programs.programs[1];
  const auto& ops = program.ops;
  auto waits_for = [&](std::uint32_t op, std::uint32_t other) {
    const auto from = program.dependencies.begin() + ops[op].first_dependency;
    return std::find(from, from + ops[op].dependency_count, other) != from + ops[op].dependency_count;
  };
  auto is = [&](std::uint32_t op, const char* name) { return job.names[ops[op].name] == name; };
  int pairs = 0;
  for (std::uint32_t i = 0; i + 2 < ops.size(); ++i) {
    if (!is(i, "pp recv") || ops[i + 1].kind != OpKind::marker || !is(i + 2, "pp recv")) continue;
    ++pairs;
    CHECK(ops[i + 3].kind == OpKind::compute);
    CHECK((waits_for(i + 3, i) && waits_for(i + 3, i + 2)));
    std::uint32_t end = i + 3;
    while (ops[end].kind != OpKind::marker && !is(end, "pp send")) ++end;
    REQUIRE((is(end, "pp send") && is(end + 1, "pp send") && ops[end + 2].kind == OpKind::marker));
    CHECK((waits_for(end, end - 1) && waits_for(end + 1, end - 1)));
  }
  // 16 micro-batches, a middle stage of 4: 2 (8 - 4 + 1 + 1) pairs, the first one not together.
  CHECK(pairs == 11);
}

// The groups of DeepSpeed's documentation (16 GPUs, tp 2, ep 4); gradients are reduced over tensor-parallel
// neighbours too, because with sequence parallelism these work on different tokens.
TEST_CASE("expert groups of replicas have the same tensor-parallel rank of ep data-parallel replicas") {
  const bool is_paired = GENERATE(false, true);
  const std::string plan = "tp=\"2\" etp=\"1\" ep=\"4\" global-batch=\"64\" expert-groups=\"replicas\"";
  const std::uint32_t gpus = is_paired ? 64 : 16;
  const Job job = job_of(plan + (is_paired ? " pp=\"4\" schedule=\"dualpipe\"" : ""), experts, gpus);
  GroupTable table;
  std::map<std::string, GroupKindId> kinds;
  for (const GroupKind& kind : job.groups) kinds[kind.name] = table.add(kind, gpus);
  const auto members = [&](const char* kind, std::uint32_t gpu) {
    const GroupView view = table.group_of(kinds.at(kind), EndpointId{gpu});
    std::vector<std::uint32_t> all;
    for (std::uint32_t m = 0; m < view.size; ++m) all.push_back(view.member(m).value);
    return all;
  };
  CHECK(members("ep", 4) == std::vector<std::uint32_t>{0, 2, 4, 6});
  CHECK(members("ep", 15) == std::vector<std::uint32_t>{9, 11, 13, 15});
  // Who holds the same expert: the tensor-parallel neighbour too, and with DualPipe all of these on the
  // mirror stage, 48 GPUs further.
  std::vector<std::uint32_t> holders{2, 3, 10, 11};
  if (is_paired) holders.insert(holders.end(), {50, 51, 58, 59});
  CHECK(members("expert-dp", 2) == holders);
  if (is_paired) CHECK(members("expert-dp", 59) == holders);
}

TEST_CASE("passes that run together take turns at every collective and receive") {
  Program program;
  program.streams = {"compute", "net"};
  auto add = [&](OpKind kind, std::uint32_t name, std::vector<std::uint32_t> after) {
    Op op;
    op.kind = kind;
    op.stream = kind == OpKind::compute ? 0 : 1;
    op.name = name;
    return append(program, op, after);
  };
  const auto start = add(OpKind::marker, 0, {});
  auto run = [&](std::uint32_t name) {
    auto last = add(OpKind::recv, name, {start});
    last = add(OpKind::compute, name + 1, {last});
    last = add(OpKind::compute, name + 2, {last});
    last = add(OpKind::collective, name + 3, {last});
    last = add(OpKind::compute, name + 4, {last});
    add(OpKind::send, name + 5, {last});
  };
  run(10);
  run(20);
  const auto moved = interleave(program, 1, 7, Turn::communication);
  std::vector<std::uint32_t> names;
  for (const Op& op : program.ops) names.push_back(op.name);
  CHECK(names == std::vector<std::uint32_t>{0, 10, 20, 11, 12, 13, 21, 22, 23, 14, 15, 24, 25});
  CHECK(moved == std::vector<std::uint32_t>{1, 3, 4, 5, 9, 10, 2, 6, 7, 8, 11, 12});
  for (std::uint32_t i = 1; i < program.ops.size(); ++i) {
    REQUIRE(program.ops[i].dependency_count == 1);
    const std::uint32_t on = program.dependencies[program.ops[i].first_dependency];
    CHECK(program.ops[on].name == (program.ops[i].name % 10 == 0 ? 0 : program.ops[i].name - 1));
  }
}

TEST_CASE("passes that run together leave what lies before them, and what they wait for there, as it is") {
  Program program;
  program.streams = {"compute"};
  auto add = [&](OpKind kind, std::vector<std::uint32_t> after) {
    Op op;
    op.kind = kind;
    return append(program, op, after);
  };
  add(OpKind::marker, {});
  add(OpKind::compute, {0});
  add(OpKind::compute, {0, 1});
  add(OpKind::recv, {1});
  add(OpKind::compute, {0, 2, 3});
  add(OpKind::recv, {2});
  add(OpKind::compute, {1, 5});
  const auto moved = interleave(program, 3, 5, Turn::communication);
  CHECK(moved == std::vector<std::uint32_t>{3, 5, 4, 6});
  auto of = [&](std::uint32_t op) {
    const auto from = program.dependencies.begin() + program.ops[op].first_dependency;
    return std::vector<std::uint32_t>(from, from + program.ops[op].dependency_count);
  };
  CHECK(of(1) == std::vector<std::uint32_t>{0});
  CHECK(of(2) == std::vector<std::uint32_t>{0, 1});
  CHECK(of(3) == std::vector<std::uint32_t>{1});
  CHECK(of(4) == std::vector<std::uint32_t>{2});
  CHECK(of(5) == std::vector<std::uint32_t>{0, 2, 3});
  CHECK(of(6) == std::vector<std::uint32_t>{1, 4});
}

TEST_CASE("gradients are reduced in buckets as they fill: each of the same size, what is left at the end") {
  const Job job = job_of("global-batch=\"4\" overlap-gradients=\"on\" bucket-size=\"60000\"", dense, 2);
  std::vector<std::int64_t> elements;
  std::vector<std::string> after;
  std::string pass;
  for (const Op& op : job.programs.programs[0].ops) {
    pass = pass_of(job, op, pass);
    if (job.names[op.name] != "dp reduce-scatter") continue;
    elements.push_back(op.bytes / 4);
    after.push_back(pass);
  }
  // A layer with biases has 3 x 64 x 64 + 3 x 64 + 64 x 64 + 64 + 2 x 64 x 128 + 128 + 64 + 2 x 128
  // parameters.
  const std::int64_t layer = 33'472, table = 1024 * 64, all = 8 * layer + 2 * table + 128;
  REQUIRE(elements.size() == static_cast<std::size_t>(all / 60'000 + 1));
  for (std::size_t i = 0; i + 1 < elements.size(); ++i) CHECK(elements[i] == 60'000);
  CHECK(elements.back() == all % 60'000);
  // 8 layers fill four buckets during the backward pass of the last micro-batch; the tables fill the others.
  CHECK(std::count(after.begin(), after.end(), "backward 1") == 8 * layer / 60'000);
  CHECK(std::count(after.begin(), after.end(), "gradients") == all / 60'000 + 1 - 8 * layer / 60'000);
}

TEST_CASE("the partitioner is told of stages that work in turns") {
  const auto is_pipelined = [](const std::string& plan) {
    return load_hint_of("<workload kind=\"training\" sequence=\"32\" global-batch=\"8\" " + plan + ">" +
                            dense + "</workload>",
                        8)
        .is_pipelined;
  };
  CHECK(is_pipelined("pp=\"4\""));
  CHECK_FALSE(is_pipelined("tp=\"2\""));
  CHECK_FALSE(load_hint_of("<workload kind=\"collective\" collective=\"all-reduce\"/>", 8).is_pipelined);
}

TEST_CASE("the partitioner is told over how many servers an all-to-all goes") {
  const auto servers = [](const std::string& collective, std::uint32_t gpus) {
    return load_hint_of("<workload kind=\"collective\" collective=\"" + collective + "\"/>", gpus)
        .exchange_servers;
  };
  CHECK(servers("all-to-all", 40) == 5);
  CHECK(servers("all-to-all", 8) == 1);
  CHECK(servers("all-reduce", 40) == 1);
}
