#include "workloads/generate/training/training_checkpoint.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/training/training_plan.hpp"

using namespace lightrail;

namespace {

MadeJob saving(const std::string& checkpoint, const std::string& plan = "", std::uint32_t hosts = 1,
               std::uint32_t storage = 2) {
  return make_job_of("<workload kind=\"training\" global-batch=\"8\" sequence=\"64\" " + plan + ">" +
                         small_model("") + checkpoint + "</workload>",
                     8, storage, Prediction::off, hosts);
}

/// The operations of that name of program `p`.
std::vector<Op> named(const Job& job, std::size_t p, const std::string& name) {
  std::vector<Op> found;
  for (const std::uint32_t i : ops_named(job, p, name)) found.push_back(job.programs.programs[p].ops[i]);
  return found;
}

}  // namespace

TEST_CASE("a save is a copy to the host and a write from there, each so many steps") {
  const MadeJob made = saving("<checkpoint every=\"3\" mode=\"asynchronous\"/>");
  REQUIRE(made.errors == std::vector<std::string>{});
  const auto copies = named(made.job, 0, "stage checkpoint"), writes = named(made.job, 0, "write checkpoint");
  REQUIRE((copies.size() == 1 && writes.size() == 1));
  CHECK(copies[0].kind == OpKind::host_copy);
  CHECK(copies[0].bytes == writes[0].bytes);
  CHECK(writes[0].kind == OpKind::storage_write);
  CHECK(writes[0].io == IoMode::background);
  CHECK(writes[0].peer_mode == PeerMode::offset);
  CHECK(writes[0].dependency_count == 1);
  for (const std::uint32_t step : {2u, 5u}) CHECK((copies[0].is_due(step) && writes[0].is_due(step)));
  for (const std::uint32_t step : {0u, 1u, 3u, 4u})
    CHECK((!copies[0].is_due(step) && !writes[0].is_due(step)));
  CHECK(named(made.job, 0, "restore checkpoint").empty());
}

TEST_CASE("a synchronous save is one that the step waits for, after planning and serialising") {
  const MadeJob made = saving(
      "<checkpoint every=\"1\" mode=\"synchronous\" restore=\"on\" planning=\"2 ms\" serialise-rate=\"1 "
      "GB/s\"/>");
  REQUIRE(made.errors == std::vector<std::string>{});
  const Op write = named(made.job, 0, "write checkpoint").at(0);
  CHECK(write.io == IoMode::from_host);
  CHECK(write.duration == milliseconds(2) + nanoseconds(write.bytes));
  const Op read = named(made.job, 0, "restore checkpoint").at(0);
  // Parameters whole, of the optimiser's state a part as large as that of each of the eight replicas.
  CHECK(std::abs(read.bytes - (2 * 8 + 12) * write.bytes / 14) <= 28 * 8);
  CHECK(read.is_due(0));
  for (const std::uint32_t step : {1u, 65'535u, 131'070u, 0xffffffffu}) CHECK_FALSE(read.is_due(step));
}

TEST_CASE("all GPUs together save each parameter once, 14 bytes of it") {
  const auto all = [](const std::string& plan) {
    const MadeJob made = saving("<checkpoint every=\"1\"/>", plan);
    REQUIRE(made.errors == std::vector<std::string>{});
    std::int64_t sum = 0;
    for (const std::uint32_t program : made.job.programs.program_of_gpu)
      sum += named(made.job, program, "write checkpoint").at(0).bytes;
    return sum;
  };
  // Replicas share what one of them would save, whatever keeps the state; padding is a few elements a stage.
  const std::int64_t whole = all("");
  Transformer model;
  model.layers = 4, model.hidden = 64, model.heads = 8, model.kv_heads = 4, model.ffn = 128;
  model.vocabulary = 1000;
  TrainingPlan plan;
  const StageParameters p = stage_parameters(model, plan, 0);
  CHECK(std::abs(whole - 14 * p.dense()) <= 14 * 8);
  CHECK(std::abs(all("shard-parameters=\"on\"") - whole) <= 14 * 64);
  CHECK(std::abs(all("moments=\"bf16\"") - whole * 10 / 14) <= 14 * 64);
}

TEST_CASE("a shard with copies stages all that it keeps and writes its part of it") {
  const MadeJob made = saving("<checkpoint every=\"1\"/>", "shard-parameters=\"on\" shard=\"2\"");
  REQUIRE(made.errors == std::vector<std::string>{});
  const std::int64_t staged = named(made.job, 0, "stage checkpoint").at(0).bytes;
  const std::int64_t written = named(made.job, 0, "write checkpoint").at(0).bytes;
  CHECK(std::abs(staged - 4 * written) <= 14 * 8);  // four copies of each shard
}

TEST_CASE("a checkpoint that cannot be is refused") {
  const std::string checkpoint = "<checkpoint every=\"1\"/>";
  const auto is_told = [](const MadeJob& made, const std::string& what) {
    return std::any_of(made.errors.begin(), made.errors.end(),
                       [&](const std::string& error) { return error.find(what) != std::string::npos; });
  };
  CHECK(
      is_told(saving(checkpoint, "", 1, 0), "<checkpoint> needs a storage server, and the system has none"));
  CHECK(is_told(saving(checkpoint, "", 0),
                "<checkpoint> is staged in host memory, and the system has no <host>"));
  CHECK(is_told(saving(checkpoint + checkpoint), "<workload> has two <checkpoint>, expected one"));
  CHECK(is_told(saving(checkpoint, "fold=\"2\""), "<checkpoint> with 'fold', which leaves out"));
  CHECK(is_told(saving("<checkpoint every=\"0\"/>"), "'0' is out of range"));
}

TEST_CASE("threads that would take nothing from training are refused") {
  const auto first = [](const std::string& attributes) {
    const MadeJob made = saving("<checkpoint every=\"1\" " + attributes + "/>");
    return made.errors.empty() ? std::string() : made.errors[0];
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const std::string thread = "async-checkpointer=\"thread\" ", planned = "planning=\"1 s\" ";
  CHECK(
      has(first(planned + "mode=\"synchronous\" " + thread), "'thread' has no effect with mode=\"synchron"));
  CHECK(has(first("mode=\"asynchronous\" " + thread), "no effect without 'planning' or 'serialise-rate'"));
  CHECK(has(first("mode=\"asynchronous\" " + planned + thread), "launching takes no time here"));
  CHECK(has(first("mode=\"asynchronous\" switch-interval=\"1 ms\""),
            "attribute 'switch-interval': has no effect without async-checkpointer=\"thread\""));
  CHECK(first("mode=\"asynchronous\" async-checkpointer=\"process\"").empty());
}

namespace {

MadeJob to_peers(const std::string& attributes, const std::string& plan = "shard-parameters=\"on\"",
                 std::uint32_t gpus = 16, std::uint32_t storage = 0, std::uint32_t hosts = 1) {
  return make_job_of("<workload kind=\"training\" global-batch=\"96\" sequence=\"64\" " + plan + ">" +
                         small_model("") + "<checkpoint mode=\"peers\" " + attributes + "/></workload>",
                     gpus, storage, Prediction::off, hosts);
}

std::int64_t bytes_of_all(const std::vector<Op>& ops) {
  std::int64_t sum = 0;
  for (const Op& op : ops) sum += op.bytes;
  return sum;
}

}  // namespace

TEST_CASE("to peers goes all that a GPU keeps, in pieces, to each other server of its group") {
  const MadeJob made =
      to_peers("every=\"2\" copies=\"3\" piece=\"64 KiB\" buffers=\"2\"", "shard-parameters=\"on\"", 24);
  REQUIRE(made.errors == std::vector<std::string>{});
  const auto own = named(made.job, 0, "keep checkpoint"), sent = named(made.job, 0, "send checkpoint"),
             got = named(made.job, 0, "receive checkpoint"),
             kept = named(made.job, 0, "keep peer's checkpoint");
  REQUIRE(own.size() == 1);
  CHECK(bytes_of_all(sent) == 2 * own[0].bytes);
  CHECK(bytes_of_all(got) == 2 * own[0].bytes);
  CHECK(bytes_of_all(kept) == 2 * own[0].bytes);
  REQUIRE(sent.size() == kept.size());
  CHECK(sent.front().bytes == 65'536);
  CHECK(sent.front().peer == 1);
  CHECK(sent.back().peer == 2);
  CHECK(got.front().peer == -1);
  // A piece waits until the one before the last is in the host: two buffers.
  CHECK(got[0].dependency_count == 0);
  CHECK(got[1].dependency_count == 0);
  CHECK(got[2].dependency_count == 1);
  // Of the state that the second, fourth, ... step left: in the third, fifth, ... one.
  for (const std::uint32_t step : {2u, 4u}) CHECK((own[0].is_due(step) && sent[0].is_due(step)));
  for (const std::uint32_t step : {0u, 1u, 3u}) CHECK((!own[0].is_due(step) && !kept[0].is_due(step)));
  CHECK(sent[0].io == IoMode::in_idle_time);
  CHECK(named(made.job, 0, "write checkpoint").empty());
  CHECK(named(made.job, 0, "restore kept checkpoint").empty());  // nothing is ever restarted
}

TEST_CASE("GPUs at the same place of servers that follow each other are a group") {
  const MadeJob made = to_peers("every=\"1\"", "shard-parameters=\"on\"", 32);
  REQUIRE(made.errors == std::vector<std::string>{});
  const auto kind = std::find_if(made.job.groups.begin(), made.job.groups.end(),
                                 [](const GroupKind& k) { return k.name == "peers"; });
  REQUIRE(kind != made.job.groups.end());
  REQUIRE(kind->listed.size() == 16);
  CHECK(kind->listed[0] == std::vector{EndpointId{0}, EndpointId{8}});
  CHECK(kind->listed[9] == std::vector{EndpointId{17}, EndpointId{25}});
}

TEST_CASE("to peers, each so many steps a save to storage goes beside it") {
  const MadeJob made = to_peers("every=\"1\" storage-every=\"5\" traffic=\"at-once\"", "", 16, 2);
  REQUIRE(made.errors == std::vector<std::string>{});
  const Op write = named(made.job, 0, "write checkpoint").at(0);
  CHECK(write.io == IoMode::background);
  CHECK((write.every == 5 && write.turn == 4));
  CHECK(named(made.job, 0, "send checkpoint").at(0).io == IoMode::in_memory);
}

TEST_CASE("a checkpoint to peers that cannot be is refused") {
  const auto first = [](const MadeJob& made) { return made.errors.empty() ? std::string() : made.errors[0]; };
  const auto has = [&](const MadeJob& made, const std::string& what) {
    INFO(first(made));
    return first(made).find(what) != std::string::npos;
  };
  CHECK(has(to_peers("every=\"1\"", "", 8), "mode 'peers': the job has 1 server, which make no groups of 2"));
  CHECK(has(to_peers("every=\"1\"", "", 24),
            "mode 'peers': the job has 3 servers, which make no groups of 2 (expected a multiple)"));
  CHECK(has(to_peers("every=\"1\"", "", 12), "the job has 8 of one server and 4 GPUs of another"));
  CHECK(has(to_peers("every=\"1\"", "pp=\"2\""),
            "GPUs 0 and 8, which would keep each other's state, are in stages 0 and 1 of the pipeline"));
  CHECK(has(to_peers("every=\"1\"", "", 16, 0, 0), "is staged in host memory, and the system has no <host>"));
  CHECK(has(to_peers("every=\"1\" storage-every=\"4\""), "needs a storage server, and the system has none"));
  CHECK(has(to_peers("every=\"1\" planning=\"1 s\""), "attribute 'planning': has no effect"));
  CHECK(has(to_peers("every=\"1\" copies=\"9\""), "'9' is out of range"));
  CHECK(has(saving("<checkpoint every=\"1\" copies=\"2\"/>"),
            "attribute 'copies': has no effect without mode=\"peers\""));
  CHECK(has(to_peers("every=\"1\"", "step-over=\"pipeline\""), "<checkpoint> with step-over"));
}
