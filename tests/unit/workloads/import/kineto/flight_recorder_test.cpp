#include "workloads/import/kineto/flight_recorder.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"

using namespace lightrail;

namespace {

std::string entry(const std::string& name, std::int64_t created_ns, const std::string& more = "") {
  return "{\"record_id\": 0, \"pg_id\": 0, \"process_group\": [\"0\", \"default_pg\"], \"profiling_name\": "
         "\"" +
         name + "\", \"time_created_ns\": " + std::to_string(created_ns) +
         ", \"duration_ms\": 0.5, \"input_sizes\": [[4, 256]], \"input_dtypes\": [\"BFloat16\"], "
         "\"output_sizes\": [[4, 256]], \"output_dtypes\": [\"BFloat16\"], \"state\": \"completed\", "
         "\"is_p2p\": "
         "false" +
         more + "}";
}

std::string dump(const std::vector<std::string>& entries) {
  std::string text =
      "{\"version\": \"2.4\", \"pg_config\": {\"0\": {\"name\": \"0\", \"desc\": \"default_pg\", \"ranks\": "
      "\"[0, 1]\"}}, \"entries\": [";
  for (std::size_t i = 0; i < entries.size(); ++i) text += (i ? ", " : "") + entries[i];
  return text + "]}";
}

ImportOptions two_ranks(TraceFolder& folder, const std::string& first, const std::string& second) {
  folder.plain("nccl_trace_rank_0.json", first);
  folder.plain("nccl_trace_rank_1.json", second);
  return {"kineto", {folder.path("nccl_trace_rank_0.json"), folder.path("nccl_trace_rank_1.json")}};
}

std::string refusal(const std::string& text) {
  TraceFolder folder;
  return import_refusal(two_ranks(folder, text, text));
}

}  // namespace

TEST_CASE("a flight recorder's entries are collectives with the CPU's time between them") {
  TraceFolder folder;
  const std::string both =
      dump({entry("nccl:all_reduce", 1'000'000), entry("nccl:_all_gather_base", 1'250'000)});
  const Job job = imported(two_ranks(folder, both, both));
  const Program& p = program_of(job, 0);
  std::vector<const Op*> collectives;
  SimTime cpu{};
  for (const Op& op : p.ops) {
    if (op.kind == OpKind::collective) collectives.push_back(&op);
    if (op.kind == OpKind::host) cpu += op.duration;
  }
  REQUIRE(collectives.size() == 2);
  CHECK(collectives[0]->collective == CollectiveType::all_reduce);
  CHECK(collectives[0]->bytes == 4 * 256 * 2);
  CHECK(collectives[1]->collective == CollectiveType::all_gather);
  CHECK(cpu == microseconds(250));
  CHECK(job.capture.fastest_median_ps == 500'000'000);
  CHECK(job.notes == std::vector<std::string>{
                         "a flight recorder has communications alone: what is between them is CPU time"});
}

TEST_CASE("sends and receives of a flight recorder name their partner by its place in the group") {
  TraceFolder folder;
  const Job job =
      imported(two_ranks(folder, dump({entry("nccl:send 0->1", 1000), entry("nccl:coalesced", 2000)}),
                         dump({entry("nccl:recv 1<-0", 1000), entry("nccl:coalesced", 2000)})));
  const auto message = [&](std::uint32_t rank) {
    for (const Op& op : program_of(job, rank).ops)
      if (op.kind == OpKind::send || op.kind == OpKind::recv) return op;
    return Op{};
  };
  CHECK(message(0).kind == OpKind::send);
  CHECK(message(0).peer == 1);
  CHECK(message(1).kind == OpKind::recv);
  CHECK(message(1).peer == 0);
  CHECK(message(1).bytes == 2048);
}

TEST_CASE("sends and receives that PyTorch batched run together, in whatever order they were called") {
  TraceFolder folder;
  const auto seq = [](int number) { return ", \"p2p_seq_id\": " + std::to_string(number); };
  const auto exchange = [&](const std::string& me, const std::string& other) {
    return dump({entry("nccl:send " + me + "->" + other, 1000, seq(1)),
                 entry("nccl:recv " + me + "<-" + other, 1100, seq(1)), entry("nccl:coalesced", 2000, seq(1)),
                 entry("nccl:send " + me + "->" + other, 3000, seq(2))});
  };
  const Job job = imported(
      two_ranks(folder, exchange("0", "1"),
                dump({entry("nccl:send 1->0", 1000, seq(1)), entry("nccl:recv 1<-0", 1100, seq(1)),
                      entry("nccl:coalesced", 2000, seq(1)), entry("nccl:recv 1<-0", 3000, seq(2))})));
  const Program& p = program_of(job, 0);
  std::vector<const Op*> messages;
  for (const Op& op : p.ops)
    if (op.kind == OpKind::send || op.kind == OpKind::recv) messages.push_back(&op);
  REQUIRE(messages.size() == 3);
  CHECK(messages[0]->stream != messages[1]->stream);  // neither waits for the other
  CHECK(messages[1]->peer == 1);
  CHECK(messages[1]->bytes == 2048);
  CHECK(messages[2]->kind == OpKind::send);
  CHECK(job.notes.size() == 1);  // nothing was left out
}

TEST_CASE("an entry 'coalesced' of other numbers than the sends before it is left out") {
  TraceFolder folder;
  const auto seq = [](int number) { return ", \"p2p_seq_id\": " + std::to_string(number); };
  const Job job = imported(
      two_ranks(folder, dump({entry("nccl:send 0->1", 1000, seq(1)), entry("nccl:coalesced", 2000, seq(2))}),
                dump({entry("nccl:recv 1<-0", 1000, seq(1)), entry("nccl:coalesced", 2000, seq(2))})));
  CHECK(job.notes.size() == 3);
  CHECK(job.notes[1].find("1 entries 'coalesced' are left out") != std::string::npos);
}

TEST_CASE("what is wrong with a flight recorder is said with its entry") {
  CHECK(refusal("{\"pg_config\": {}, \"entries\": 3}") ==
        "nccl_trace_rank_0.json: broken JSON (expected a flight recorder: {\"entries\": [...]})");
  CHECK(refusal(dump({"7"})) == "nccl_trace_rank_0.json: entry 0: is no object");
  CHECK(
      refusal(dump({entry("gloo:all_reduce", 1)})) ==
      "nccl_trace_rank_0.json: entry 0: 'profiling_name' is 'gloo:all_reduce' (expected nccl:all_reduce and "
      "the like)");
  CHECK(refusal(dump({entry("nccl:all_reduce", -4)})) ==
        "nccl_trace_rank_0.json: entry 0: lacks 'time_created_ns'");
  CHECK(refusal(dump({entry("nccl:send 0->7", 4)})) ==
        "nccl_trace_rank_0.json: entry 0: 'nccl:send 0->7' names no member of group '0' (expected nccl:send "
        "0->1)");
  CHECK(refusal("\x80\x04\x95 pickle").find("a pickle, as PyTorch's flight recorder writes it") !=
        std::string::npos);
}
