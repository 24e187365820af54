#include "workloads/import/chakra/chakra_exchanges.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/import/chakra_text.hpp"
#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"
#include "workloads/trace/trace_file.hpp"

using namespace lightrail;
using Bytes64 = std::vector<std::int64_t>;
using Node = ChakraBytes::Node;

namespace {

Node exchange(std::uint64_t id, std::int64_t bytes, const std::string& split = "") {
  Node node{.id = id, .type = 7, .name = "a2a", .integers = {{"comm_type", 6}, {"comm_size", bytes}}};
  if (!split.empty()) node.texts = {{"in_split_size", split}};
  return node;
}

ImportOptions ranks(TraceFolder& folder, const std::vector<ChakraBytes>& traces) {
  ImportOptions options{"chakra", {}};
  for (std::size_t r = 0; r < traces.size(); ++r)
    options.files.push_back(folder.plain("t." + std::to_string(r) + ".et", traces[r].bytes()));
  return options;
}

}  // namespace

TEST_CASE("ranks that give different sizes to an all-to-all exchange exactly those") {
  TraceFolder folder;
  // Rank 0 gives rank 1 three parts of four, rank 1 gives nothing; then an even exchange.
  const Job job =
      imported(ranks(folder, {ChakraBytes().node(exchange(1, 64, "[1, 3]")).node(exchange(2, 8)),
                              ChakraBytes().node(exchange(1, 0, "[0, 0]")).node(exchange(2, 8))}));
  const Program& p = program_of(job, 1);
  REQUIRE(p.ops.size() == 2);
  CHECK(job.programs.splits[p.ops[0].split].bytes == Bytes64{16, 48, 0, 0});
  CHECK(p.ops[0].bytes == 64);
  CHECK(p.ops[1].split == 0);
  CHECK(p.ops[1].bytes == 8);
}

TEST_CASE("sizes that differ by rank without parts are each rank's own even exchange, and a note says so") {
  TraceFolder folder;
  const Job job =
      imported(ranks(folder, {ChakraBytes().node(exchange(1, 64)), ChakraBytes().node(exchange(1, 16))}));
  CHECK(job.programs.splits[program_of(job, 0).ops[0].split].bytes == Bytes64{32, 32, 8, 8});
  REQUIRE(job.notes.size() == 1);
  CHECK_THAT(job.notes[0], Catch::Contains("comm_size differs by rank"));
}

TEST_CASE("an uneven exchange survives the way through a trace file") {
  TraceFolder folder;
  const ImportOptions options = ranks(
      folder, {ChakraBytes().node(exchange(1, 64, "[1, 3]")), ChakraBytes().node(exchange(1, 16, "[0, 2]"))});
  Element at;
  {
    JobOutput output(folder.path("t.h5"), "test");
    import_trace(*find_trace_format("chakra"), options.files, at, output);
    (void)output.take();
  }
  const Job job = read_trace(folder.path("t.h5"));
  CHECK(job.programs.splits[program_of(job, 1).ops[0].split].bytes == Bytes64{16, 48, 0, 16});
  CHECK(program_of(job, 1).ops[0].bytes == 64);
}

TEST_CASE("parts of an all-to-all that cannot be are refused with the node") {
  TraceFolder folder;
  const auto refusal = [&](const Node& first, const Node& second) {
    return import_refusal(ranks(folder, {ChakraBytes().node(first), ChakraBytes().node(second)}));
  };
  CHECK(refusal(exchange(4, 64, "[1, 2, 3]"), exchange(4, 64)) ==
        "t.0.et: node 4: 'in_split_size' has 3 entries for a group of 2");
  CHECK(refusal(exchange(4, 64, "[1, 2]"), exchange(4, 64)) ==
        "t.0.et: node 4: 'in_split_size' adds up to 3, which does not divide comm_size 64");
  CHECK(refusal(exchange(4, 7), exchange(4, 64)) ==
        "t.0.et: node 4: all-to-all 0: 7 B do not divide among 2 members, and 'In split size' is empty");
  TraceFolder other;
  CHECK(import_refusal(ranks(
            other, {ChakraBytes().node(exchange(4, 8)), ChakraBytes().node({.id = 1, .duration_us = 3})})) ==
        "t.0.et: 1 all-to-alls in a group of 2 ranks, but rank 1 has 0");
}
