#include "workloads/import/goal/loggops.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/import/evaluate_job.hpp"
#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"

using namespace lightrail;

namespace {

ImportOptions loggops(const TraceFolder& folder, const std::string& parameters) {
  ImportOptions options{"goal", {folder.path("x.goal")}};
  return options.set("loggops", parameters);
}

std::string schedule(const std::vector<std::string>& ranks) {
  std::string text = "num_ranks " + std::to_string(ranks.size()) + "\n";
  for (std::size_t r = 0; r < ranks.size(); ++r)
    text += "rank " + std::to_string(r) + " {\n" + ranks[r] + "\n}\n";
  return text;
}

/// When each rank has ended [ns x 1000], as a run without a network executes its program.
std::vector<std::int64_t> ends_ps(const std::string& text, const std::string& parameters) {
  TraceFolder folder;
  folder.plain("x.goal", text);
  const Times times = evaluate(imported(loggops(folder, parameters)), [](const Op&) { return 0; });
  std::vector<std::int64_t> ends;
  for (const auto& rank : times.end) {
    std::int64_t last = 0;
    for (std::int64_t end : rank) last = std::max(last, end);
    ends.push_back(last);
  }
  return ends;
}

std::vector<std::int64_t> ends_ns(const std::string& text, const std::string& parameters) {
  std::vector<std::int64_t> ends;
  for (std::int64_t end : ends_ps(text, parameters)) ends.push_back(end / 1000);
  return ends;
}

std::string refusal(const std::string& parameters) {
  TraceFolder folder;
  folder.plain("x.goal", "num_ranks 1\nrank 0 {\n}\n");
  return import_refusal(loggops(folder, parameters));
}

using Ends = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a message takes o + (n-1) O at its sender, and ends o + L + o + (n-1) max(O, G) after its start") {
  // n = 11: 100 + 10 x 1; 100 + 1000 + 100 + 10 x 2.
  const std::string one = schedule({"send 11b to 1", "recv 11b from 0"});
  CHECK(ends_ns(one, "L=1000 o=100 g=50 G=2 O=1 S=64") == Ends{110, 1220});
  CHECK(ends_ns(one, "L=1000 o=100 g=50 G=1 O=3 S=64") == Ends{130, 1230});
}

TEST_CASE("a gap per byte of a fraction of a nanosecond counts to the picosecond") {
  // n = 27: 26 x 0.04 ns = 1.04 ns behind L + 2 o.
  CHECK(ends_ps(schedule({"send 27b to 1", "recv 27b from 0"}), "L=1000 o=100 g=5 G=0.04 O=0 S=99") ==
        Ends{100'000, 1'201'040});
}

TEST_CASE("messages of a NIC are g + (n-1) G apart where that is more than the processor's time") {
  const std::string two = schedule({"send 11b to 1\nsend 11b to 1", "recv 11b from 0\nrecv 11b from 0"});
  // The second send starts at 110 = o + (n-1) O, is there at 1210, and waits for the processor until 1220.
  CHECK(ends_ns(two, "L=1000 o=100 g=50 G=2 O=1 S=64") == Ends{220, 1340});
  // ... at 520 = g + (n-1) G, is there at 1620, where the receiver's gap is over as well.
  CHECK(ends_ns(two, "L=1000 o=100 g=500 G=2 O=1 S=64") == Ends{630, 1740});
}

TEST_CASE(
    "a send of at most S bytes ends with its processor's time, a larger one where it meets its receive") {
  // The receiver's processor is busy until 5000, the message needs it for 100 + 99 x 2 from then on. The
  // sender's calc of 10 follows its send.
  const std::string late = schedule(
      {"s: send 100b to 1\nc: calc 10\nc requires s", "c: calc 5000\nr: recv 100b from 0\nr requires c"});
  CHECK(ends_ns(late, "L=1000 o=100 g=0 G=2 O=1 S=100") == Ends{209, 5298});
  CHECK(ends_ns(late, "L=1000 o=100 g=0 G=2 O=1 S=99") == Ends{5010, 5298});
}

TEST_CASE("a message that comes before its receive has taken the processor already") {
  // There at 1100, until 1200; the receive of after the calc (1200 to 1700, since the message came first).
  const std::string early =
      schedule({"send 1b to 1",
                "a: calc 1100\nb: calc 500\nb requires a\nr: recv 1b from 0\nr requires b\nc: calc 7\nc "
                "requires r"});
  CHECK(ends_ns(early, "L=1000 o=100 g=0 G=0 O=0 S=64") == Ends{100, 1707});
}

TEST_CASE("LogGOPSim's own example, dissemination over 16 ranks, takes the 22 us that its README names") {
  // Four rounds of o + L + o = 5500 ns with LogGOPSim's default parameters.
  std::vector<std::string> ranks;
  for (int r = 0; r < 16; ++r) {
    std::string text;
    for (int round = 0; round < 4; ++round) {
      const std::string i = std::to_string(round), before = std::to_string(round - 1);
      text += "s" + i + ": send 1b to " + std::to_string((r + (1 << round)) % 16) + " tag " + i + "\n";
      text += "r" + i + ": recv 1b from " + std::to_string((r + 16 - (1 << round)) % 16) + " tag " + i + "\n";
      if (round > 0) text += "s" + i + " requires r" + before + "\nr" + i + " requires r" + before + "\n";
    }
    ranks.push_back(text);
  }
  CHECK(ends_ns(schedule(ranks), "L=2500 o=1500 g=1000 G=6 O=0 S=65535") == Ends(16, 22'000));
}

TEST_CASE("thousands of messages that wait for one processor take it one after the other when it is free") {
  // 50,000 messages of o = 2 ns have come long before the processor ends its calc of 1 ms.
  constexpr int count = 50'000;
  std::string sends, receives = "c: calc 1000000\n";
  for (int i = 0; i < count; ++i) sends += "send 1b to 1\n", receives += "recv 1b from 0\n";
  CHECK(ends_ns(schedule({sends, receives}), "L=10 o=2 g=0 G=0 O=0 S=100") == Ends{100'000, 1'100'000});
}

TEST_CASE("an operation that requires one of another processor waits for its end") {
  CHECK(ends_ns(schedule({"a: calc 100\nb: calc 10 cpu 1\nb requires a\nc: calc 1 cpu 2\nc irequires a"}),
                "L=0 o=0 g=0 G=0 O=0 S=0") == Ends{110});
}

TEST_CASE("sends of more than S bytes that wait for each other are a deadlock, with its line") {
  TraceFolder folder;
  folder.plain("x.goal", schedule({"s: send 9b to 1\nr: recv 9b from 1\nr requires s",
                                   "s: send 9b to 0\nr: recv 9b from 0\nr requires s"}));
  CHECK(import_refusal(loggops(folder, "L=1 o=1 g=1 G=1 O=1 S=8")) ==
        "x.goal:3: rank 0: this operation never ends (a deadlock: sends of more than S bytes wait for their "
        "receives)");
  CHECK(import_refusal(loggops(folder, "L=1 o=1 g=1 G=1 O=1 S=9")).empty());
}

TEST_CASE("operations may stand before what they wait for, also where several wait for one") {
  // b, then a and c: 2 + 1 + 4; the order in which they became free is that of the file.
  CHECK(ends_ns(schedule({"a: calc 1\nb: calc 2\nc: calc 4\na requires b\nc requires b"}),
                "L=1 o=1 g=1 G=0 O=0 S=0") == Ends{7});
}

TEST_CASE("mistakes of a schedule are found where nothing of it becomes a program") {
  const auto refused = [](const std::string& rank) {
    TraceFolder folder;
    folder.plain("x.goal", schedule({rank, ""}));
    return import_refusal(loggops(folder, "L=1 o=1 g=1 G=1 O=1 S=9"));
  };
  CHECK(refused("a: calc 1\nb: calc 1\na requires b\nb requires a").find("run in a circle") !=
        std::string::npos);
  CHECK(refused("send 1b to 1").find("which nothing there receives") != std::string::npos);
}

TEST_CASE("ranks that do the same at the same times have one program") {
  TraceFolder folder;
  folder.plain("x.goal", schedule({"calc 5", "calc 5", "calc 7", "calc 5"}));
  const Job job = imported(loggops(folder, "L=1 o=1 g=1 G=1 O=1 S=9"));
  const std::vector<std::uint32_t>& of = job.programs.program_of_gpu;
  CHECK(of[1] == of[0]);
  CHECK(of[2] != of[0]);
  CHECK(of[3] == of[0]);
}

TEST_CASE("parameters that are no LogGOPS are refused") {
  const std::string expected = " (expected L= o= g= G= O= S=, each once: ns, G and O in ns/B, S in B)";
  const std::string at = "<workload> attribute 'loggops': ";
  CHECK(refusal("L=1 o=1 g=1 G=1 O=1") == at + "'S=' is missing" + expected);
  CHECK(refusal("L=1 o=1 g=1 G=1 O=1 S=0 P=3") == at + "invalid parameter 'P=3'" + expected);
  CHECK(refusal("3700 200") == at + "invalid parameter '3700'" + expected);
  CHECK(refusal("L=x o=1 g=1 G=1 O=1 S=0") == at + "'L=x' is not a number from 0 to 1e12" + expected);
  CHECK(refusal("L=-1 o=1 g=1 G=1 O=1 S=0") == at + "'L=-1' is not a number from 0 to 1e12" + expected);
  CHECK(refusal("L=1 L=1 g=1 G=1 O=1 S=0") == at + "'L=' is given twice" + expected);
}

TEST_CASE("what messages take is said once: loggops stands alone") {
  TraceFolder folder;
  folder.plain("x.goal", "num_ranks 1\nrank 0 {\n}\n");
  CHECK(import_refusal(loggops(folder, "L=1 o=1 g=1 G=1 O=1 S=0").set("message-time", "1 us")) ==
        "<workload> attribute 'message-time': has no effect beside 'loggops', which says what messages take");
}
