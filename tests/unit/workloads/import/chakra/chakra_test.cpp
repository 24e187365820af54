#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/workloads/import/chakra_text.hpp"
#include "tests/unit/workloads/import/evaluate_job.hpp"
#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"

using namespace lightrail;
using Node = ChakraBytes::Node;

namespace {

ImportOptions chakra(std::vector<std::string> files) {
  ImportOptions options;
  options.format = "chakra";
  options.files = std::move(files);
  return options;
}

Job job_of(const std::vector<std::string>& ranks) {
  TraceFolder folder;
  std::vector<std::string> files;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    files.push_back(folder.plain("t." + std::to_string(r) + ".et", ranks[r]));
  return imported(chakra(files));
}

std::string refusal_of(const std::vector<std::string>& ranks) {
  TraceFolder folder;
  std::vector<std::string> files;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    files.push_back(folder.plain("t." + std::to_string(r) + ".et", ranks[r]));
  return import_refusal(chakra(files));
}
std::string refusal_of(const Node& node) {
  return refusal_of({ChakraBytes().node(node).bytes()});
}

Node coll(std::uint64_t id, std::int64_t type, std::int64_t bytes) {
  return {.id = id, .type = 7, .name = "c", .integers = {{"comm_type", type}, {"comm_size", bytes}}};
}

}  // namespace

TEST_CASE("one rank's collectives without partners are told to take no time") {
  const std::string file = ChakraBytes().node(coll(1, 0, 4096)).bytes();
  const Job alone = job_of({file});
  REQUIRE(alone.notes.size() == 1);
  CHECK_THAT(alone.notes[0],
             Catch::EndsWith("t.0.et: one rank, whose collectives have no partner and take no "
                             "time (ranks=8: 8 ranks execute it)"));
  CHECK(job_of({file, file}).notes.empty());
  CHECK(job_of({ChakraBytes().node({.id = 1, .duration_us = 10}).bytes()}).notes.empty());
}

TEST_CASE("compute nodes run one after the other as their data dependencies and the file say") {
  // 2 waits for 3, which comes later in the file: 1 (10 us), 3 (5 us), 2 (7 us).
  Job job = job_of({ChakraBytes()
                        .node({.id = 1, .duration_us = 10})
                        .node({.id = 2, .data = {3}, .duration_us = 7})
                        .node({.id = 3, .duration_us = 5})
                        .bytes()});
  Times times = evaluate(job, [](const Op&) { return 0; });
  CHECK(times.end[0] == std::vector<std::int64_t>{10'000'000, 15'000'000, 22'000'000});
}

TEST_CASE("CPU nodes run beside the GPU, kernels on the streams that they name") {
  Job job = job_of({ChakraBytes()
                        .node({.id = 0, .duration_us = 10, .integers = {{"is_cpu_op", 1}, {"tid", 3}}})
                        .node({.id = 1, .duration_us = 10, .integers = {{"is_cpu_op", 0}, {"tid", 7}}})
                        .node({.id = 2, .duration_us = 10, .integers = {{"stream", 9}, {"tid", 7}}})
                        .node({.id = 3, .duration_us = 10})
                        .bytes()});
  CHECK(program_of(job, 0).streams == std::vector<std::string>{"host 3", "stream 7", "stream 9", "compute"});
  CHECK(program_of(job, 0).ops[0].kind == OpKind::host);
  CHECK(program_of(job, 0).ops[1].kind == OpKind::compute);
}

TEST_CASE("control dependencies order nodes, but name the caller in traces converted from PyTorch") {
  auto trace = [](bool is_from_pytorch) {
    return ChakraBytes(is_from_pytorch)
        .node({.id = 1, .duration_us = 10, .integers = {{"tid", 1}}})
        .node({.id = 2, .control = {1}, .duration_us = 10, .integers = {{"tid", 2}}})
        .bytes();
  };
  CHECK(program_of(job_of({trace(false)}), 0).dependencies == std::vector<std::uint32_t>{0});
  CHECK(program_of(job_of({trace(true)}), 0).dependencies.empty());
}

TEST_CASE("collectives carry nccl-tests' sizes and ranks that do the same share a program") {
  std::string rank = ChakraBytes()
                         .node(coll(1, 0, 1000))
                         .node(coll(2, 2, 1000))
                         .node(coll(3, 7, 1000))
                         .node(coll(4, 6, 1000))
                         .node(coll(5, 5, 1000))
                         .node({.id = 6, .type = 7, .integers = {{"comm_type", 9}}})
                         .bytes();
  Job job = job_of({rank, rank, rank, rank});
  CHECK(job.programs.programs.size() == 1);
  std::vector<std::pair<CollectiveType, std::int64_t>> calls;
  for (const Op& op : job.programs.programs[0].ops) calls.emplace_back(op.collective, op.bytes);
  // An all-gather of 1000 B a rank gathers 4000 B.
  using C = CollectiveType;
  CHECK(calls == std::vector<std::pair<C, std::int64_t>>{{C::all_reduce, 1000},
                                                         {C::all_gather, 4000},
                                                         {C::reduce_scatter, 1000},
                                                         {C::all_to_all, 1000},
                                                         {C::broadcast, 1000},
                                                         {C::barrier, 0}});
}

TEST_CASE("process groups come from metadata nodes or a JSON file; disjoint ones share a kind") {
  auto rank = [](const std::string& group) {
    Node node = coll(2, 0, 64);
    node.texts = {{"pg_name", group}};
    return node;
  };
  const std::string list = "[ '[{\"pg_name\":\"0\",\"ranks\":[0,1]},{\"pg_name\":\"1\",\"ranks\":[2,3]}]' ]";
  auto with_metadata = [&](const std::string& group) {
    return ChakraBytes().node({.id = 1, .type = 1, .inputs = list}).node(rank(group)).bytes();
  };
  Job job = job_of({with_metadata("0"), with_metadata("0"), with_metadata("1"), with_metadata("1")});
  REQUIRE(job.groups.size() == 1);
  CHECK(job.groups[0].listed.size() == 2);
  CHECK(job.programs.programs.size() == 1);

  TraceFolder folder;
  ImportOptions options = chakra({folder.plain("t.0.et", ChakraBytes().node(rank("5")).bytes())});
  options.set("groups-file", folder.plain("groups.json", R"({"5": [0, 1]})"));
  options.set("ranks", "2");
  CHECK(imported(options).groups[0].name == "world");
  options.set("groups-file", folder.plain("groups.json", "[1]"));
  CHECK_THAT(import_refusal(options), Catch::StartsWith("groups.json: expected process groups as JSON"));
  options.set("groups-file", folder.plain("groups.json", R"({"5": [0, 2]})"));
  CHECK(import_refusal(options) == "groups.json: process group '5' names rank 2 (the trace has 2 ranks)");
  options.set("groups-file", folder.plain("groups.json", R"({"5": [0, 0]})"));
  CHECK(import_refusal(options) == "groups.json: process group '5' names a rank twice");
  options.set("groups-file", folder.plain("groups.json", R"({"5": 3})"));
  CHECK(import_refusal(options) == "groups.json: process group '5' has no list of ranks");
  options.set("groups-file", folder.plain("groups.json", R"({"5": [1]})"));
  CHECK(import_refusal(options) == "t.0.et: node 2 'c': rank 0 is not in process group '5'");
}

TEST_CASE(
    "sends and receives meet by partner and tag; memory nodes are copies; work is timed from its size") {
  Job job = job_of(
      {ChakraBytes()
           .node({.id = 1, .type = 5, .integers = {{"comm_dst", 1}, {"comm_tag", 3}, {"comm_size", 64}}})
           .node({.id = 2, .type = 2, .integers = {{"tensor_size", 100}}})
           .node({.id = 3, .type = 3, .integers = {{"tensor_size", 200}}})
           .node({.id = 4, .type = 4, .integers = {{"num_ops", 2'000'000}, {"tensor_size", 8}}})
           .node({.id = 5, .type = 4, .integers = {{"tensor_size", 4096}}})
           .node({.id = 6, .type = 4})
           .bytes(),
       ChakraBytes()
           .node({.id = 9, .type = 6, .integers = {{"comm_src", 0}, {"comm_tag", 3}, {"comm_size", 64}}})
           .bytes()});
  const auto& ops = program_of(job, 0).ops;
  CHECK(ops[0].kind == OpKind::send);
  CHECK(ops[0].root == program_of(job, 1).ops[0].root);
  CHECK((ops[1].kind == OpKind::host_copy && ops[1].peer == 1 && ops[1].bytes == 100));
  CHECK((ops[2].kind == OpKind::host_copy && ops[2].peer == 0 && ops[2].bytes == 200));
  CHECK(job.programs.shapes[ops[3].shape].m == 100);
  CHECK(job.programs.shapes[ops[4].shape].bytes == 4096);
  CHECK(ops[5].kind == OpKind::marker);
}

TEST_CASE("what is wrong with a Chakra trace is said with file and node") {
  CHECK(refusal_of(Node{.id = 5, .type = 0}) ==
        "t.0.et: node 5 'n': unknown node kind 0 (known: 1 metadata, 2 load, 3 store, 4 compute, 5 send, 6 "
        "receive, "
        "7 collective)");
  CHECK_THAT(refusal_of(Node{.id = 5, .type = 9}),
             Catch::StartsWith("t.0.et: node 5 'n': unknown node kind 9 (known"));
  CHECK(refusal_of(Node{.id = 5, .type = 7, .integers = {{"comm_type", 0}}}) ==
        "t.0.et: node 5 'n': a collective without a size (attribute 'comm_size')");
  CHECK(refusal_of(Node{.id = 5, .type = 7, .integers = {{"comm_size", 8}}}) ==
        "t.0.et: node 5 'n': a collective without a kind (attribute 'comm_type')");
  CHECK(refusal_of(coll(5, 3, 8)) == "t.0.et: node 5 'c': collective 'gather' is not simulated");
  CHECK(refusal_of(coll(5, 30, 8)) == "t.0.et: node 5 'c': unknown kind of collective 30 (0 ... 9)");
  CHECK(refusal_of(coll(5, 0, -8)) ==
        "t.0.et: node 5 'c': comm_size -8 is out of range (0 ... 17592186044416)");
  CHECK(refusal_of({ChakraBytes().node(coll(5, 2, std::int64_t{1} << 44)).bytes(), ChakraBytes().bytes()}) ==
        "t.0.et: node 5 'c': comm_size 17592186044416 times 2 ranks is out of range (0 ... 17592186044416)");
  Node on_cpu = coll(5, 0, 8);
  on_cpu.integers.emplace_back("is_cpu_op", 1);
  CHECK(refusal_of(on_cpu) == "t.0.et: node 5 'c': a collective on the CPU (is_cpu_op) is not simulated");
  Node partial = coll(5, 0, 8);
  partial.involved_dim = {true, false};
  CHECK(refusal_of(partial) ==
        "t.0.et: node 5 'c': involved_dim leaves dimensions of the network out (name the members: pg_name "
        "and its "
        "ranks)");
  Node root = coll(5, 5, 8);
  root.integers.emplace_back("root", 1);
  CHECK(refusal_of(root) == "t.0.et: node 5 'c': root 1 is not in a group of 1");
  Node lost = coll(5, 0, 8);
  lost.texts = {{"pg_name", "tp"}};
  CHECK(refusal_of(lost) == "t.0.et: node 5 'c': process group 'tp' is not known (0 are)");
  CHECK(refusal_of({ChakraBytes().node({.id = 1, .data = {7}}).bytes()}) ==
        "t.0.et: node 1 'n': dangling dependency: node 7 is not in the file");
  CHECK(refusal_of({ChakraBytes().node({.id = 1, .data = {2}}).node({.id = 2, .data = {1}}).bytes()}) ==
        "t.0.et: node 1 'n': its dependencies run in a circle");
  CHECK(refusal_of({ChakraBytes().node({.id = 1}).node({.id = 1}).bytes()}) ==
        "t.0.et: node 1 'n': its number is used twice");
  CHECK(refusal_of(Node{.id = 1, .duration_us = std::uint64_t{1} << 43}) ==
        "t.0.et: node 1 'n': a duration of 8796093022208 us is more than 50 days");
  CHECK(refusal_of(Node{.id = 1, .integers = {{"num_ops", -1}}}) ==
        "t.0.et: node 1 'n': num_ops -1 is out of range");
  CHECK(refusal_of(Node{.id = 1, .type = 2}) ==
        "t.0.et: node 1 'n': without a size (attribute 'tensor_size')");
  CHECK(refusal_of(Node{.id = 1, .type = 5, .integers = {{"comm_size", 8}}}) ==
        "t.0.et: node 1 'n': without a partner (attribute 'comm_dst')");
  CHECK(refusal_of(Node{.id = 1, .type = 6, .integers = {{"comm_size", 8}, {"comm_src", 3}}}) ==
        "t.0.et: node 1 'n': comm_src 3 does not exist (the trace has 1 ranks)");
  CHECK(refusal_of(
            Node{.id = 1, .type = 5, .integers = {{"comm_size", 8}, {"comm_src", 3}, {"comm_dst", 0}}}) ==
        "t.0.et: node 1 'n': comm_src 3 in the file of rank 0");
  CHECK(refusal_of(
            Node{.id = 1, .type = 5, .integers = {{"comm_size", 8}, {"comm_dst", 0}, {"comm_tag", -2}}}) ==
        "t.0.et: node 1 'n': comm_tag -2 is out of range (0 ... 4294967295)");
  CHECK(refusal_of(Node{.id = 1, .type = 1, .inputs = "[{\"pg_name\":\"0\",\"ranks\":[8]}]"}) ==
        "t.0.et: node 1 'n': process group '0' names rank 8 (the trace has 1 ranks)");
}

TEST_CASE("a message that only one rank of a Chakra trace knows is refused with file and node") {
  const Node send{.id = 4, .type = 5, .integers = {{"comm_size", 8}, {"comm_dst", 1}}};
  const Node receive{.id = 6, .type = 6, .integers = {{"comm_size", 9}, {"comm_src", 0}}};
  auto with = [](const Node& node) { return ChakraBytes().node(node).bytes(); };
  const std::string nothing = ChakraBytes().bytes();
  CHECK(refusal_of({with(send), nothing}) ==
        "t.0.et: node 4: send of 8 B to rank 1 with tag 0, which nothing there receives");
  CHECK(refusal_of({nothing, with(receive)}) ==
        "t.1.et: node 6: receive of 9 B from rank 0 with tag 0, which nothing there sends");
  CHECK(refusal_of({with(send), with(receive)}) ==
        "t.1.et: node 6: receive of 9 B from rank 0 with tag 0, but rank 0 sends 8 B");
}

TEST_CASE("files of a Chakra trace that are no traces, cut, or do not name their rank are refused") {
  const std::string good = ChakraBytes().node({.id = 1, .duration_us = 3}).bytes();
  CHECK(refusal_of({std::string()}) == "t.0.et: the file is empty (expected a Chakra execution trace)");
  CHECK_THAT(refusal_of({good.substr(0, good.size() - 1)}),
             Catch::StartsWith("t.0.et: message 1:") && Catch::EndsWith("but the file ends (truncated)"));
  CHECK(refusal_of({good + "\x80"}) == "t.0.et: message 2: its length ends early (truncated file)");
  CHECK(refusal_of({"\xff\xff\xff\xff\xff\xff"}) ==
        "t.0.et: message 0: a length of more than 32 bits (is this a Chakra trace?)");
  CHECK(refusal_of({"\xff\xff\xff\xff\x0f"}) ==
        "t.0.et: message 0: a message of 4294967295 bytes (is this a Chakra trace?)");
  CHECK(refusal_of({ChakraBytes().raw("\x0a\x7fxx").bytes()}) ==
        "t.0.et: message 1: damaged: not a message of a Chakra trace");
  TraceFolder folder;
  folder.gzip("t.0.et.gz", good);
  CHECK(import_refusal(chakra({folder.path("t.0.et.gz")})) == "");
  CHECK(import_refusal(chakra({folder.plain("trace.et", good)})) ==
        "trace.et: its name does not say its rank (expected <prefix>.<rank>.et)");
  CHECK(import_refusal(chakra({folder.plain("t.1.et", good)})) ==
        "t.1.et: no file for rank 0 (1 files given)");
  folder.plain("u.1.et", good);
  CHECK_THAT(import_refusal(chakra({folder.path("t.0.et.gz"), folder.path("t.1.et"), folder.path("u.1.et")})),
             Catch::StartsWith("u.1.et: rank 1 is also in "));
  ImportOptions shared = chakra({folder.path("t.1.et"), folder.path("u.1.et")});
  shared.set("ranks", "4");
  CHECK(import_refusal(shared) == "u.1.et: a second file, where one stands for all ranks");
  shared.files.pop_back();
  CHECK(imported(shared).programs.programs.size() == 1);
}
