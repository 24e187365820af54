#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/workloads/import/evaluate_job.hpp"
#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"

using namespace lightrail;

namespace {

ImportOptions goal(const TraceFolder& folder) {
  ImportOptions options;
  options.format = "goal";
  options.files = {folder.path("x.goal")};
  return options;
}

Job job_of(const std::string& text) {
  TraceFolder folder;
  folder.plain("x.goal", text);
  return imported(goal(folder));
}

std::string refusal_of(const std::string& text) {
  TraceFolder folder;
  folder.plain("x.goal", text);
  return import_refusal(goal(folder));
}

/// Ends of the operations of rank 0 [ns], computations only.
std::vector<std::int64_t> ends_of(const std::string& text) {
  Job job = job_of(text);
  Times times = evaluate(job, [](const Op&) { return 0; });
  std::vector<std::int64_t> ends;
  for (std::int64_t end : times.end[0]) ends.push_back(end / 1000);
  return ends;
}

}  // namespace

TEST_CASE("calcs of one processor follow one another, those of two run side by side") {
  CHECK(ends_of("num_ranks 1\nrank 0 {\na: calc 100\nb: calc 50\nc: calc 30 cpu 1\n}\n") ==
        std::vector<std::int64_t>{100, 150, 30});
}

TEST_CASE("requires waits for the end, irequires for the start") {
  // b starts when a has ended (100), c when b has started (100), on a processor of its own.
  CHECK(ends_of("num_ranks 1\nrank 0 {\na: calc 100\nb: calc 50\nc: calc 30 cpu 1\nb requires a\nc irequires "
                "b\n}\n") == std::vector<std::int64_t>{100, 150, 130});
}

TEST_CASE("the order of lines is no order: a node may require one that is defined after it") {
  // b first: 50, then a: 150.
  CHECK(ends_of("num_ranks 1\nrank 0 {\na: calc 100\nb: calc 50\na requires b\n}\n") ==
        std::vector<std::int64_t>{50, 150});
}

TEST_CASE("comments, blank lines, labels and options of a schedule") {
  Job job = job_of(
      "// a schedule\nnum_ranks 2\n/* two\nranks */\nrank 0\n{\nl1: send 8b to 1 tag 7 cpu 2 nic 1\n calc "
      "5\n}\n"
      "rank 1 {\nrecv 8b from 0 tag 7 // here\n}\n");
  const Op& send = program_of(job, 0).ops[0];
  CHECK(send.kind == OpKind::send);
  CHECK(send.bytes == 8);
  CHECK(send.root == 7);
  CHECK(program_of(job, 1).ops[0].kind == OpKind::recv);
}

TEST_CASE("labels of all shapes are told apart") {
  Job job = job_of(
      "num_ranks 1\nrank 0 {\nx1: calc 1\nx01: calc 2\nx999999999: calc 3\nx99999999999: calc 4\nx: calc 5 "
      "cpu 1\n"
      "x requires x999999999\nx1 requires x01\n}\n");
  Times times = evaluate(job, [](const Op&) { return 0; });
  // On cpu 0: x01 2, x1 3, x999999999 6, x99999999999 10; x after the third: 11.
  CHECK(times.end[0] == std::vector<std::int64_t>{2000, 3000, 6000, 10000, 11000});
  CHECK(refusal_of("num_ranks 1\nrank 0 {\nx999999999: calc 1\nx999999999: calc 1\n}\n") ==
        "x.goal:4: label 'x999999999' is defined twice in rank 0");
}

TEST_CASE("ranks that do the same share a program") {
  std::string ring = "num_ranks 64\n";
  for (int r = 0; r < 64; ++r)
    ring += "rank " + std::to_string(r) + " {\ns: send 4b to " + std::to_string((r + 1) % 64) +
            "\nr: recv 4b from " + std::to_string((r + 63) % 64) + "\nr requires s\n}\n";
  CHECK(job_of(ring).programs.programs.size() == 1);
}

TEST_CASE("messages of one pair and tag meet in the order of the file, whatever their times") {
  // Both sends may go at once, but the first must meet the first receive: the second waits for it on both
  // sides.
  Job job = job_of(
      "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 3\nsend 16b to 1 tag 3\nsend 24b to 1 tag 4\n}\n"
      "rank 1 {\nrecv 24b from 0 tag 4\nrecv 8b from 0 tag 3\nrecv 16b from 0 tag 3\n}\n");
  const Program &sends = program_of(job, 0), &receives = program_of(job, 1);
  CHECK(sends.ops[0].stream == sends.ops[1].stream);
  CHECK(sends.ops[2].stream != sends.ops[0].stream);
  CHECK(receives.ops[1].stream == receives.ops[2].stream);
  CHECK(sends.ops[0].root == receives.ops[1].root);
  CHECK(sends.ops[2].root == receives.ops[0].root);
  CHECK(sends.ops[2].root != sends.ops[0].root);
}

TEST_CASE("streams order nothing that the schedule leaves open, and are used again") {
  // A fan of three receives behind each calc: no two of a fan on one stream, but the next fan takes the same
  // ones.
  std::string text = "num_ranks 2\nrank 0 {\n", other = "rank 1 {\n";
  for (int round = 0; round < 10; ++round) {
    const std::string c = "c" + std::to_string(round);
    text += c + ": calc 10\n";
    if (round > 0)
      for (int i = 0; i < 3; ++i)
        text += c + " requires r" + std::to_string(round - 1) + "_" + std::to_string(i) + "\n";
    for (int i = 0; i < 3; ++i) {
      const std::string r = "r" + std::to_string(round) + "_" + std::to_string(i);
      text +=
          r + ": recv 4b from 1 tag " + std::to_string(3 * round + i) + "\n" + r + " requires " + c + "\n";
      other += "send 4b to 0 tag " + std::to_string(3 * round + i) + "\n";
    }
  }
  Job job = job_of(text + "}\n" + other + "}\n");
  const Program& p = program_of(job, 0);
  CHECK(p.streams.size() == 4);
  for (std::size_t c = 0; c + 3 < p.ops.size(); c += 4) {
    CHECK(p.ops[c + 1].stream != p.ops[c + 2].stream);
    CHECK(p.ops[c + 2].stream != p.ops[c + 3].stream);
    CHECK(p.ops[c + 1].stream != p.ops[c + 3].stream);
  }
}

TEST_CASE("a node with more dependencies than an operation holds waits for all of them") {
  std::string text = "num_ranks 2\nrank 0 {\n", other = "rank 1 {\n";
  std::string last = "z: calc 1\n";
  constexpr int many = 130'000;
  for (int i = 0; i < many; ++i) {
    const std::string name = "a" + std::to_string(i);
    text += name + ": calc 1 cpu " + std::to_string(i % 200) + "\n";
    last += "z requires " + name + "\n";
  }
  Job job = job_of(text + last + "}\n" + other + "}\n");
  Times times = evaluate(job, [](const Op&) { return 0; });
  CHECK(times.start[0].back() == many / 200 * 1000);
}

TEST_CASE("what is wrong with a schedule is said with its line") {
  auto rank = [](const std::string& body) {
    return refusal_of("num_ranks 2\nrank 0 {\n" + body + "\n}\nrank 1 {\n}\n");
  };
  CHECK(refusal_of("") == "x.goal:1: no 'num_ranks N' (expected a GOAL schedule)");
  CHECK(refusal_of("rank 0 {\n}\n") == "x.goal:1: 'rank' before 'num_ranks N'");
  CHECK(refusal_of("num_ranks x\n") == "x.goal:1: invalid number of ranks 'x' (expected a number)");
  CHECK(refusal_of("num_ranks 0\n") == "x.goal:1: number of ranks 0 is out of range (1 ...)");
  CHECK(refusal_of("num_ranks 9999999\n") ==
        "x.goal:1: number of ranks 9999999 is out of range (0 ... 1048576)");
  CHECK(refusal_of("num_ranks 1 2\n") == "x.goal:1: expected 'num_ranks N'");
  CHECK(refusal_of("num_ranks 1\nnum_ranks 1\n") == "x.goal:2: a second 'num_ranks'");
  CHECK(refusal_of("num_ranks 2\nrank 1 {\n") ==
        "x.goal:2: rank 1 where rank 0 is expected (in order, each once)");
  CHECK(refusal_of("num_ranks 1\nrank 0 {\n}\nrank 1 {\n}\n") == "x.goal:4: rank 1, but num_ranks is 1");
  CHECK(refusal_of("num_ranks 2\nrank 0 {\n}\n") == "x.goal:4: the file ends after rank 0 of 2");
  CHECK(refusal_of("num_ranks 1\nrank 0 {\ncalc 1\n") ==
        "x.goal:4: the block of rank 0 does not end (expected '}')");
  CHECK(refusal_of("num_ranks 1\ncalc 1\n") == "x.goal:2: 'calc' outside of a rank (expected 'rank 0 {')");
  CHECK(refusal_of("num_ranks 1\nrank 0\ncalc 1\n") == "x.goal:3: 'calc' before '{' of rank 0");
  CHECK(refusal_of("num_ranks 1\nrank 0 { x\n") == "x.goal:2: unexpected '{' after 'rank'");
  CHECK(refusal_of("num_ranks 1\nrank 0 {\n} x\n") == "x.goal:3: unexpected 'x' after '}'");
  CHECK(rank("wait 5") ==
        "x.goal:3: unknown node kind 'wait' (known: send, recv, calc, requires, irequires)");
  CHECK(rank("calc") == "x.goal:3: calc without a duration");
  CHECK(rank("calc 9999999999999999999") ==
        "x.goal:3: duration 9999999999999999999 is out of range (0 ... 4503599627370496)");
  CHECK(rank("a: calc 4503599627370496\nb: calc 1") ==
        "x.goal:4: the calcs of a rank take more than 52 days");
  CHECK(rank("send to 1") == "x.goal:3: send without a size (expected 'send <bytes>b to <rank>')");
  CHECK(rank("send 99999999999999b to 1") ==
        "x.goal:3: size 99999999999999 is out of range (0 ... 17592186044416)");
  CHECK(rank("send 8b from 1") == "x.goal:3: expected 'to' instead of 'from'");
  CHECK(rank("send 8b to 2") == "x.goal:3: rank 2 does not exist (num_ranks is 2)");
  CHECK(rank("recv 8b from -1") ==
        "x.goal:3: a receive from any rank (-1): which message it takes would depend on time; name the rank");
  CHECK(rank("recv 8b from 1 tag -1") ==
        "x.goal:3: a receive of any tag (-1): which message it takes would depend on time; name the tag");
  CHECK(rank("send 8b to 1 cpu 1 tag 2") ==
        "x.goal:3: unexpected 'tag' (expected options in this order: tag, cpu, nic)");
  CHECK(rank("calc 1 tag 2") == "x.goal:3: unexpected 'tag' (expected options in this order: cpu)");
  CHECK(rank("calc 1 cpu 256") == "x.goal:3: cpu 256 is out of range (0 ... 255)");
  CHECK(rank("1: calc 1") == "x.goal:3: invalid label '1' (letters, digits and _)");
  CHECK(rank("a: calc 1\na: calc 1") == "x.goal:4: label 'a' is defined twice in rank 0");
  CHECK(rank("a: calc 1\na requires b") ==
        "x.goal:4: dangling dependency: label 'b' is not defined in rank 0");
  CHECK(rank("a: calc 1\na requires") == "x.goal:4: expected 'label requires label'");
  CHECK(rank("a: calc 1\nb: calc 1\na requires b\nb requires a") ==
        "x.goal:5: the dependencies of rank 0 run in a circle");
  CHECK(rank(std::string(5000, 'x')) == "x.goal:3: a line of more than 4096 characters");
}

TEST_CASE("a message that only one side knows is refused with its line") {
  auto two = [](const std::string& a, const std::string& b) {
    return refusal_of("num_ranks 2\nrank 0 {\n" + a + "\n}\nrank 1 {\n" + b + "\n}\n");
  };
  CHECK(two("send 8b to 1 tag 2", "calc 1") ==
        "x.goal:3: rank 0: send of 8 B to rank 1 with tag 2, which nothing there receives");
  CHECK(two("calc 1", "recv 8b from 0 tag 2") ==
        "x.goal:6: rank 1: receive of 8 B from rank 0 with tag 2, which nothing there sends");
  CHECK(two("send 8b to 1\nsend 8b to 1", "recv 8b from 0") ==
        "x.goal:4: rank 0: send of 8 B to rank 1 with tag 0, which nothing there receives");
  CHECK(two("send 8b to 1", "recv 9b from 0") ==
        "x.goal:6: rank 1: receive of 9 B from rank 0 with tag 0, but rank 0 sends 8 B");
  CHECK(two("send 8b to 1 tag 256", "recv 8b from 0 tag 512") ==
        "x.goal:3: rank 0: send of 8 B to rank 1 with tag 256, which nothing there receives");
  CHECK(two("send 8b to 1 tag 0\nsend 8b to 1 tag 256", "recv 8b from 0 tag 256\nrecv 8b from 0 tag 0") ==
        "x.goal:7: rank 1: receive of 8 B from rank 0 with tag 256, but rank 0 sends tag 0 first (tags that "
        "differ "
        "by a multiple of 256 must keep their order)");
}

TEST_CASE("a second file of a format that has one for all ranks is refused") {
  TraceFolder folder;
  folder.plain("x.goal", "num_ranks 1\nrank 0 {\n}\n");
  ImportOptions options = goal(folder);
  options.files.push_back(options.files[0]);
  CHECK_THAT(import_refusal(options), Catch::Contains("x.goal: a second file"));
  options.files.clear();
  CHECK(import_refusal(options) == "no trace file given");
}

namespace {

const char* const ping =
    "num_ranks 2\nrank 0 {\ns: send 100b to 1 tag 3\nc: calc 10\nc requires s\n}\nrank 1 {\nrecv 100b from 0 "
    "tag 3\n}\n";

Job ping_with(const std::vector<std::pair<std::string, std::string>>& attributes) {
  TraceFolder folder;
  folder.plain("x.goal", ping);
  ImportOptions options = goal(folder);
  for (const auto& [name, value] : attributes) options.set(name, value);
  return imported(options);
}

std::vector<std::uint32_t> waits_for(const Program& program, std::uint32_t op) {
  const Op& o = program.ops[op];
  return {program.dependencies.begin() + o.first_dependency,
          program.dependencies.begin() + o.first_dependency + o.dependency_count};
}

}  // namespace

TEST_CASE("messages take NCCL's time, which a note says, or what message-time gives at each end") {
  const Job nccl = ping_with({});
  CHECK(program_of(nccl, 0).ops[0].protocol == Protocol::auto_select);
  CHECK(nccl.notes == std::vector<std::string>{
                          "messages take NCCL's time of a send and a receive; message-time gives another"});
  const Job own = ping_with({{"message-time", "200 ns"}});
  CHECK(own.notes.empty());
  for (std::uint32_t rank : {0u, 1u}) {
    CHECK(program_of(own, rank).ops[0].protocol == Protocol::bare);
    CHECK(program_of(own, rank).ops[0].duration == nanoseconds(200));
  }
}

TEST_CASE("an eager send ends when its software is done: what requires it does not wait for its bytes") {
  const Job job = ping_with({{"send-ends", "eager"}, {"message-time", "200 ns"}});
  const Program& p = program_of(job, 0);
  REQUIRE(p.ops.size() == 3);  // the software, the message, the calc
  CHECK(p.ops[0].duration == nanoseconds(200));
  CHECK(p.ops[1].kind == OpKind::send);
  CHECK(p.ops[1].duration == SimTime{0});
  CHECK(waits_for(p, 2) == std::vector<std::uint32_t>{0});
  const Job free = ping_with({{"send-ends", "eager"}});
  CHECK(program_of(free, 0).ops[0].kind == OpKind::marker);
}

TEST_CASE("a delivered send ends when the receiver's receipt of a byte has come") {
  for (const Job& job : {ping_with({{"send-ends", "delivered"}}),
                         ping_with({{"send-ends", "eager"}, {"eager-limit", "99 B"}})}) {
    const Program &sender = program_of(job, 0), &receiver = program_of(job, 1);
    REQUIRE(sender.ops.size() == 3);
    CHECK(sender.ops[1].kind == OpKind::recv);
    CHECK(sender.ops[1].bytes == 1);
    CHECK(job.groups[sender.ops[1].group.value].name == "receipts");
    CHECK(waits_for(sender, 2) == std::vector<std::uint32_t>{1});
    REQUIRE(receiver.ops.size() == 2);
    CHECK(receiver.ops[1].kind == OpKind::send);
    CHECK(receiver.ops[1].stream == receiver.ops[0].stream);
  }
  CHECK(program_of(ping_with({{"send-ends", "eager"}, {"eager-limit", "100 B"}}), 1).ops.size() == 1);
}

TEST_CASE("attributes of messages that make no sense are refused") {
  TraceFolder folder;
  folder.plain("x.goal", ping);
  CHECK(import_refusal(goal(folder).set("eager-limit", "1 kB")) ==
        "<workload> attribute 'eager-limit': has no effect (expected send-ends=\"eager\" beside it)");
  CHECK(import_refusal(goal(folder).set("message-time", "fast")) ==
        "<workload> attribute 'message-time': invalid time 'fast' (expected a number with a unit: ns, us, "
        "ms, s, min, h), or nccl");
  CHECK(import_refusal(goal(folder).set("message-time", "2 s")) ==
        "<workload> attribute 'message-time': '2 s' is out of range (0 ns ... 1 s)");
}
