#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"
#include "workloads/import/aicb/aicb.hpp"
#include "workloads/job/expert_load.hpp"
#include "workloads/job/pipeline_schedule.hpp"

using namespace lightrail;

namespace {

ImportOptions aicb(const TraceFolder& folder, const std::string& text,
                   AicbPipeline pipeline = AicbPipeline::rows) {
  ImportOptions options;
  options.format = "aicb";
  options.files = {const_cast<TraceFolder&>(folder).plain("w.txt", text)};
  options.set("pipeline", pipeline == AicbPipeline::rows ? "rows" : "interleaved");
  return options;
}
Job job_of(const std::string& text, AicbPipeline pipeline = AicbPipeline::rows) {
  TraceFolder folder;
  return imported(aicb(folder, text, pipeline));
}
std::string refusal_of(const std::string& text, AicbPipeline pipeline = AicbPipeline::rows) {
  TraceFolder folder;
  return import_refusal(aicb(folder, text, pipeline));
}

const char* const head =
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 1 vpp: 1 ga: 1 all_gpus: 8 "
    "checkpoints: 0 "
    "checkpoint_initiates: 0 pp_comm: 0\n";

/// One embedding and `layers` layers a micro-batch, `ga` micro-batches.
std::string pipeline_text(int pp, int chunks, int ga, int layers, const char* more = "") {
  std::string rows;
  int count = 0;
  for (int m = 0; m < ga; ++m) {
    rows += "embedding_layer -1 1000 ALLREDUCE 64 1 NONE 0 1 NONE 0 100\n", ++count;
    for (int l = 0; l < layers; ++l)
      rows +=
          "attention_column -1 2000 ALLGATHER 64 4000 REDUCESCATTER 64 1 NONE 0 100\n"
          "mlp_moelayer -1 1 ALLTOALL_EP 256 1 ALLTOALL_EP 256 1 NONE 0 100\n",
          count += 2;
    rows += "final_column -1 1 ALLGATHER 64 1 NONE 0 1 NONE 0 100\n", ++count;
  }
  return "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: " + std::to_string(pp) +
         " vpp: " + std::to_string(chunks) + " ga: " + std::to_string(ga) +
         " all_gpus: " + std::to_string(pp * 4) + " checkpoints: 0 checkpoint_initiates: 0 pp_comm 4096" +
         more + "\n" + std::to_string(count) + "\n" + rows;
}

}  // namespace

TEST_CASE("rows run forward, then backward in reverse; weight gradients overlap") {
  Job job = job_of(std::string(head) +
                   "2\n"
                   "a\t-1\t1000\tALLREDUCE\t64\t3000\tALLTOALL_EP\t32\t5000\tREDUCESCATTER\t128\t100\n"
                   "b\t-1\t2000\tNONE\t0\t4000\tALLGATHER_DP_EP\t16\t1\tNONE\t0\t100\n");
  REQUIRE(job.programs.programs.size() == 1);
  const Program& p = job.programs.programs[0];
  std::vector<std::string> seen;
  for (const Op& op : p.ops)
    seen.push_back(op.kind == OpKind::compute
                       ? std::to_string(op.duration.count() / 1000)
                       : job.groups[op.group.value].name + " " + std::to_string(op.bytes));
  CHECK(seen == std::vector<std::string>{"1000", "tp 64", "2000", "4000", "expert-dp 16", "3000", "ep 32",
                                         "5000", "dp 128", "100"});
  CHECK(job.gpu_count == 8);
  std::map<std::string, std::vector<std::uint32_t>> digits;
  for (const auto& kind : job.groups) digits[kind.name] = {kind.digits[0].count, kind.digits[0].stride};
  CHECK(digits["tp"] == std::vector<std::uint32_t>{2, 1});
  CHECK(digits["dp"] == std::vector<std::uint32_t>{4, 2});
  CHECK(digits["ep"] == std::vector<std::uint32_t>{2, 2});
  CHECK(digits["expert-dp"] == std::vector<std::uint32_t>{2, 4});
}

TEST_CASE("another number of GPUs changes the data-parallel copies and nothing else") {
  TraceFolder folder;
  ImportOptions options =
      aicb(folder, std::string(head) + "1\na -1 9 ALLREDUCE 8 9 NONE 0 9 ALLREDUCE 8 1\n");
  options.set("ranks", "32");
  Job job = imported(options);
  CHECK(job.gpu_count == 32);
  CHECK(job.groups[1].digits[0].count == 16);
}

TEST_CASE("a policy says over which groups gradients and activations go") {
  auto group = [](const char* policy) {
    Job job =
        job_of(std::string(policy) +
               " model_parallel_NPU_group: 2 all_gpus: 4\n1\na -1 9 ALLREDUCE 8 9 NONE 0 9 ALLREDUCE 8 1\n");
    std::string names;
    for (const Op& op : job.programs.programs[0].ops)
      if (op.kind == OpKind::collective) names += job.groups[op.group.value].name + " ";
    return names;
  };
  CHECK(group("HYBRID_TRANSFORMER") == "tp dp ");
  CHECK(group("DATA") == "dp dp ");
  CHECK(group("MODEL") == "tp tp ");
}

TEST_CASE(
    "interleaved 1F1B: every chunk of every micro-batch goes forward once and back once, in Megatron's "
    "order") {
  for (std::uint32_t stages : {1u, 2u, 4u})
    for (std::uint32_t chunks : {1u, 2u, 3u})
      for (std::uint32_t stage = 0; stage < stages; ++stage) {
        auto order = interleaved_schedule(stage, stages, chunks, 2 * stages);
        std::map<std::pair<std::uint32_t, std::int64_t>, int> forward, backward;
        for (const auto& pass : order) {
          auto key = std::pair{pass.chunk, pass.micro_batch};
          if (!pass.is_forward()) CHECK(forward[key] == 1);
          ++(pass.is_forward() ? forward : backward)[key];
        }
        CHECK(order.size() == std::size_t{2} * chunks * 2 * stages);
        for (auto& [key, count] : backward) CHECK(count == 1);
      }
  // Stage 0 of 2 with 2 chunks: 2 (2 - 1 - 0) + (2 - 1) 2 = 4 forward passes come first.
  using P = ChunkPass;
  constexpr PassKind F = PassKind::forward, B = PassKind::backward;
  CHECK(
      interleaved_schedule(0, 2, 2, 2) ==
      std::vector<P>{{F, 0, 0}, {F, 0, 1}, {F, 1, 0}, {F, 1, 1}, {B, 1, 0}, {B, 1, 1}, {B, 0, 0}, {B, 0, 1}});
  // The last stage of 2: (2 - 1) 2 = 2 forward passes, then in turn.
  CHECK(
      interleaved_schedule(1, 2, 2, 2) ==
      std::vector<P>{{F, 0, 0}, {F, 0, 1}, {F, 1, 0}, {B, 1, 0}, {F, 1, 1}, {B, 1, 1}, {B, 0, 0}, {B, 0, 1}});
}

TEST_CASE("interleaved stages: one program each, embeddings on the first, all activations sent") {
  Job job = job_of(pipeline_text(2, 2, 4, 2), AicbPipeline::interleaved);
  REQUIRE(job.programs.programs.size() == 2);
  CHECK(job.programs.program_of_gpu == std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1});
  std::map<std::string, int> first, last;
  for (auto* side : {&first, &last}) {
    const Program& p = job.programs.programs[side == &first ? 0 : 1];
    for (const Op& op : p.ops) {
      if (op.kind == OpKind::send) ++(*side)[op.peer > 0 ? "send next" : "send previous"];
      if (op.kind == OpKind::collective) ++(*side)[job.names[op.name]];
    }
  }
  // 4 micro-batches x 2 chunks: the first stage sends all of them on; the last one those of chunk 0.
  // Gradients take the same ways back. A layer a chunk: 2 all-to-alls x 8.
  CHECK(first == std::map<std::string, int>{{"attention_column", 16},
                                            {"embedding_layer", 4},
                                            {"mlp_moelayer", 16},
                                            {"send next", 8},
                                            {"send previous", 4}});
  CHECK(last == std::map<std::string, int>{{"attention_column", 16},
                                           {"final_column", 4},
                                           {"mlp_moelayer", 16},
                                           {"send next", 4},
                                           {"send previous", 8}});
}

TEST_CASE("skewed experts: every layer has its own busiest member, the same for one seed") {
  TraceFolder folder;
  ImportOptions options = aicb(folder, pipeline_text(2, 2, 2, 2), AicbPipeline::interleaved);
  options.set("experts", "zipf").set("expert-exponent", "1").set("expert-seed", "7");
  Job job = imported(options), again = imported(options);
  REQUIRE(job.programs.splits.size() == 5);
  for (std::size_t i = 1; i < 5; ++i) {
    const auto& split = job.programs.splits[i];
    REQUIRE(split.size == 2);
    CHECK(split.share == again.programs.splits[i].share);
    // k^-1 of two: 2/3 and 1/3.
    CHECK(std::max(split.share[0], split.share[1]) == Approx(2.0 / 3));
    CHECK(split.share[0] + split.share[1] == Approx(1));
  }
  for (const Op& op : job.programs.programs[0].ops)
    CHECK((op.split != 0) == (op.kind == OpKind::collective && job.names[op.name] == "mlp_moelayer"));
}

TEST_CASE("what is wrong with a workload is said with its line") {
  const std::string h = head;
  CHECK(refusal_of("") == "w.txt: the file is empty (expected a SimAI workload)");
  CHECK_THAT(
      refusal_of("HYBRID_TRANSFORMR x: 1\n"),
      Catch::StartsWith("w.txt:1: unknown policy:") && Catch::Contains("did you mean 'HYBRID_TRANSFORMER'"));
  CHECK(refusal_of("DATA all_gpus: 4 colour: 2\n1\n") == "w.txt:1: unknown key 'colour'");
  CHECK(refusal_of("DATA all_gpus:\n1\n") == "w.txt:1: 'all_gpus' has no value");
  CHECK(refusal_of("DATA all_gpus: 0\n1\n") == "w.txt:1: 'all_gpus' 0 is out of range (1 ... 1048576)");
  CHECK(refusal_of("DATA\n1\n") ==
        "w.txt:1: the number of GPUs lacks: no 'all_gpus' here and no 'ranks' given");
  CHECK(refusal_of("DATA all_gpus: 8 checkpoints: 3\n1\n") ==
        "w.txt:1: 'checkpoints' is 3: recomputed layers are not replayed");
  CHECK(refusal_of("DATA all_gpus: 8 model_parallel_NPU_group: 3\n1\n") ==
        "w.txt:1: 8 GPUs do not split into tensor parallel 3 x pipeline 1 x a multiple of ep 1");
  CHECK(refusal_of(h) == "w.txt:1: the number of layers lacks (line 2)");
  CHECK(refusal_of(h + "x\n") == "w.txt:2: invalid number of layers 'x' (expected a whole number)");
  CHECK(refusal_of(h + "2\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n") ==
        "w.txt:3: the file ends after 1 of 2 layers");
  CHECK(refusal_of(h + "0\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n") ==
        "w.txt:3: more than the 0 layers that line 2 announces");
  CHECK_THAT(refusal_of(h + "1\na -1 1 ALLREDUCE 1 NONE 0 1 NONE 0 1\n"),
             Catch::StartsWith("w.txt:3: 11 columns"));
  CHECK_THAT(refusal_of(h + "1\na -1 1 GOSSIP 8 1 NONE 0 1 NONE 0 1\n"),
             Catch::StartsWith("w.txt:3: unknown collective 'GOSSIP'"));
  CHECK(refusal_of(h + "1\na -1 1 ALLREDUCE x 1 NONE 0 1 NONE 0 1\n") ==
        "w.txt:3: invalid size of ALLREDUCE 'x' (expected a whole number)");
  CHECK(refusal_of(h + "1\na -1 1 ALLREDUCE -8 1 NONE 0 1 NONE 0 1\n") ==
        "w.txt:3: size of ALLREDUCE -8 is out of range (0 ... 17592186044416)");
  CHECK(refusal_of(h + "1\na -1 1 ALLREDUCE 8.0 1 NONE 0 1 NONE 0 1\n") == "");
  CHECK(refusal_of(h + std::string(70'000, 'x')) == "w.txt:2: a line of more than 65536 characters");
}

TEST_CASE("a workload that cannot be cut into stages is refused with the reason") {
  auto of = [](const std::string& text) { return refusal_of(text, AicbPipeline::interleaved); };
  CHECK(of(std::string(head) + "1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n") ==
        "w.txt: no row 'embedding_layer': the micro-batches cannot be told apart");
  CHECK(of(pipeline_text(2, 3, 2, 2)) == "w.txt: 4 rows of layers do not split into vpp 3 chunks");
  CHECK(of(pipeline_text(2, 2, 3, 2)) == "w.txt: 3 micro-batches do not go through 2 stages in whole rounds");
  std::string text = pipeline_text(2, 2, 2, 2);
  CHECK(of(text.replace(text.find("ga: 2"), 5, "ga: 4")) ==
        "w.txt: 6 rows a micro-batch, 4 micro-batches, but only 12 rows");
  text = pipeline_text(2, 2, 2, 2);
  CHECK(of(text.replace(text.rfind("mlp_moelayer"), 12, "mlp_elsewise")) ==
        "w.txt: row 11 'mlp_elsewise' is not what the first micro-batch has there");
  text = pipeline_text(2, 2, 2, 2);
  CHECK(of(text.replace(text.find(" pp_comm 4096"), 13, "")) ==
        "w.txt: no 'pp_comm': what one stage sends to the next is not known");
  CHECK(of(pipeline_text(2, 2, 1, 2).replace(0, 0, "")) ==
        "w.txt: 1 micro-batches do not go through 2 stages in whole rounds");
}

namespace {

std::string csv_refusal(const std::string& rows, std::uint32_t ranks = 0,
                        const char* first = "[rank0 ~ rank7]\n") {
  TraceFolder folder;
  ImportOptions options;
  options.format = "aicb-csv";
  options.set("ranks", std::to_string(ranks));
  options.files = {
      folder.plain("w.csv", std::string(first) +
                                "comm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional,"
                                "_elapsed_time,algbw,busbw,count\n" +
                                rows)};
  return import_refusal(options);
}

}  // namespace

TEST_CASE("the operations of a physical run follow one another on every GPU") {
  TraceFolder folder;
  ImportOptions options;
  options.format = "aicb-csv";
  options.files = {
      folder.plain("w.csv",
                   "[rank0 ~ rank7]\ncomm_type,comm_group,comm_group_size,msg_size,stage,_elapsed_time\n"
                   "CommType.all_reduce,CommGroup.tp_group,2,64,forward,None\n"
                   "CommType.computation,None,None,\"((1, 2), (3, 4))\",forward,2.5\n"
                   "CommType.barrier,CommGroup.all,8,None,x,None\nCommType.epoch_end,None,None,None,,None\n"
                   "CommType.reduce_scatter,CommGroup.dp_group,4,128,backward,None\n")};
  Job job = imported(options);
  const Program& p = job.programs.programs[0];
  REQUIRE(p.ops.size() == 4);
  CHECK(p.dependencies == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(p.ops[1].duration == microseconds(2500));
  CHECK(job.groups[p.ops[3].group.value].digits[0].stride == 2);
}

namespace {

ImportOptions csv(TraceFolder& folder, const std::string& rows) {
  return {
      "aicb-csv",
      {folder.plain(
          "w.csv",
          "[rank0 ~ rank7]\ncomm_type,comm_group,comm_group_size,msg_size,stage,_elapsed_time\n" + rows)}};
}

const char* const two_epochs =
    "CommType.all_reduce,CommGroup.tp_group,2,64,init,1.5\nCommType.epoch_end,None,None,None,,None\n"
    "CommType.all_reduce,CommGroup.tp_group,None,128,step,0.5\n"
    "CommType.all_gather,CommGroup.tp_group,2,0,step,0.25\nCommType.epoch_end,None,None,None,,None\n";

}  // namespace

TEST_CASE("epochs of a run are one iteration, or steps chooses some; rows of no bytes are said") {
  TraceFolder folder;
  const Job all = imported(csv(folder, two_epochs));
  REQUIRE(program_of(all, 0).ops.size() == 2);
  REQUIRE(all.notes.size() == 2);
  CHECK_THAT(all.notes[0],
             Catch::EndsWith(
                 "2 epochs are replayed as one iteration, whose time is that of all (steps chooses some)"));
  CHECK_THAT(all.notes[1], Catch::EndsWith("1 communications of 0 B are left out"));
  const Job second = imported(csv(folder, two_epochs).set("steps", "2"));
  REQUIRE(program_of(second, 0).ops.size() == 1);
  CHECK(program_of(second, 0).ops[0].bytes == 128);
  CHECK(import_refusal(csv(folder, two_epochs).set("steps", "3")) ==
        "w.csv: steps 3: the run has epochs 1 to 2");
}

TEST_CASE("recorded times of all communications are the capture that a result is held against") {
  TraceFolder folder;
  const Job job = imported(csv(folder, two_epochs));
  REQUIRE(job.capture.ranks.size() == 1);
  CHECK(job.capture.fastest_sum_ps == 2'000'000'000);
  CHECK(job.capture.collectives == 2);
}

TEST_CASE("a group whose size no row says is refused") {
  TraceFolder folder;
  CHECK(import_refusal(csv(folder, "CommType.all_reduce,CommGroup.tp_group,None,64,init,1.5\n")) ==
        "w.csv: no row says how many GPUs a tp_group has (comm_group_size)");
}

TEST_CASE("what is wrong with a physical run is said with its line") {
  const std::string row = "CommType.all_reduce,CommGroup.tp_group,2,64,f,None,None,,None,None,None,1\n";
  auto with = [&](const std::string& from, const std::string& to) {
    std::string text = row;
    return csv_refusal(text.replace(text.find(from), from.size(), to));
  };
  CHECK(csv_refusal(row) == "");
  CHECK(csv_refusal(row, 0, "") ==
        "w.csv: the number of GPUs lacks: no '[rank0 ~ rankN]' line and no 'ranks' given");
  CHECK(csv_refusal(row, 4, "") == "");
  CHECK(csv_refusal(row, 0, "[rank0 ~ x]\n") ==
        "w.csv:1: invalid ranks '[rank0 ~ x]' (expected [rank0 ~ rankN])");
  CHECK_THAT(with("all_reduce", "gossip"),
             Catch::StartsWith("w.csv:3: unknown node kind: invalid choice 'gossip'"));
  CHECK_THAT(with("tp_group", "qp_group"),
             Catch::StartsWith("w.csv:3: unknown comm_group:") && Catch::Contains("did you mean"));
  CHECK(with(",64,", ",None,") == "w.csv:3: a collective without a size (msg_size '')");
  CHECK(with(",64,", ",-64,") == "w.csv:3: msg_size -64 is out of range (0 ... 17592186044416)");
  CHECK(with(",2,", ",x,") == "w.csv:3: comm_group_size 'x' is no number of GPUs");
  CHECK(with(",2,", ",3,") == "w.csv: 8 GPUs do not split into groups of tp 3 and dp 2");
  CHECK(with(",1\n", "\n") == "w.csv:3: 11 columns (the header has 12)");
  CHECK(csv_refusal(row + "CommType.all_reduce,CommGroup.tp_group,4,64,f,None,None,,None,None,None,1\n") ==
        "w.csv:4: comm_group_size 4, but 2 in a row before");
  CHECK(csv_refusal("CommType.isend,CommGroup.pp_group,2,64,f,1,None,,None,None,None,1\n") ==
        "w.csv:3: 'isend' in a list that stands for all ranks: nothing says who takes the other part");
  CHECK(csv_refusal("CommType.computation,None,None,None,f,None,None,,None,None,None,1\n") ==
        "w.csv:3: a computation without a duration (_elapsed_time '')");
  CHECK(csv_refusal("CommType.barrier,CommGroup.all,4,0,f,None,None,,None,None,None,1\n") ==
        "w.csv: the group of all has 4 ranks, but there are 8");
  CHECK(csv_refusal("CommType.all_to_all,CommGroup.ep_group,3,64,f,None,None,,None,None,None,1\n") ==
        "w.csv: dp 8 does not split into groups of ep 3");
  CHECK(csv_refusal("CommType.all_reduce,CommGroup.ep_dp_group,4,64,f,None,None,,None,None,None,1\n") ==
        "w.csv: ep_dp_group of 4, but dp 8 / ep 1 is 8");
  TraceFolder folder;
  ImportOptions options;
  options.format = "aicb-csv";
  options.files = {folder.plain("w.csv", "comm_type,comm_group,msg_size\n")};
  CHECK(import_refusal(options) == "w.csv:1: the header lacks the column 'comm_group_size'");
  options.files = {folder.plain("w.csv", "")};
  CHECK(import_refusal(options) ==
        "w.csv: the file is empty (expected an AICB workload: comm_type,comm_group,...)");
}

TEST_CASE("a job has at most 65535 loads of experts") {
  JobBuilder job(2);
  ExpertLoad load;
  load.kind = ExpertLoad::Kind::zipf;
  job.job().programs.splits.resize(65'535, job.job().programs.splits.front());
  CHECK(add_expert_split(load, 2, 0, job) == 65'535);
  CHECK_THROWS_WITH(add_expert_split(load, 2, 1, job), "more than 65535 layers with their own expert load");
}
