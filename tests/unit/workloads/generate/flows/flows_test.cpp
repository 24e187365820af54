#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/flows/flow_arrivals.hpp"

using namespace lightrail;

namespace {

MadeJob flows(const std::string& attributes, std::uint32_t gpus) {
  return make_job_of("<workload kind=\"flows\" rate=\"100 Gb/s\" " + attributes +
                         "><flow-sizes><size bytes=\"0 B\" share=\"0\"/><size bytes=\"20 kB\" share=\"1\"/>"
                         "</flow-sizes></workload>",
                     gpus);
}

}  // namespace

TEST_CASE("each flow that is drawn is sent when it comes up, and received") {
  const MadeJob made = flows("load=\"0.5\" duration=\"100 us\"", 4);
  REQUIRE(made.errors.empty());
  const ProgramSet& set = made.job.programs;
  const SizeDistribution sizes({{0, 0}, {20'000, 1}});
  const FlowTraffic traffic{4, BitRate{100'000'000'000}, 0.5, microseconds(100)};
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::int64_t> sent, received;
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    const Program& program = set.programs[set.program_of_gpu[gpu]];
    const std::vector<FlowArrival> drawn = draw_flows(traffic, sizes, gpu, 1);
    std::size_t next = 0;
    SimTime at{};
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
      const Op& op = program.ops[i];
      const auto peer = static_cast<std::uint32_t>(op.peer);
      if (op.kind == OpKind::host) at += op.duration;
      if (op.kind == OpKind::recv) received[{peer, gpu, op.root}] = op.bytes;
      if (op.kind != OpKind::send) continue;
      REQUIRE(next < drawn.size());
      CHECK(at == drawn[next].at);
      CHECK(peer == drawn[next].to);
      CHECK(op.bytes == drawn[next].bytes);
      // Behind its arrival alone, and on a stream of its own.
      REQUIRE(op.dependency_count == 1);
      CHECK(program.dependencies[op.first_dependency] == i - 1);
      CHECK(program.streams[op.stream] == "send " + std::to_string(i));
      sent[{gpu, peer, op.root}] = op.bytes;
      ++next;
    }
    CHECK(next == drawn.size());
  }
  CHECK(sent.size() > 100);
  CHECK(sent == received);  // each with a queue pair of its own
}

TEST_CASE("flows of some GPUs leave the others without work") {
  const MadeJob made = flows("load=\"0.5\" duration=\"20 us\" gpus=\"1,3\"", 4);
  REQUIRE(made.errors.empty());
  const ProgramSet& set = made.job.programs;
  for (const std::uint32_t gpu : {0u, 2u}) CHECK(set.programs[set.program_of_gpu[gpu]].ops.empty());
  for (const Op& op : set.programs[set.program_of_gpu[1]].ops)
    if (op.kind == OpKind::send) CHECK(op.peer == 3);
}

TEST_CASE("the catalogue's flows of Hadoop clusters are 160 kB on average, half of them 700 B and less") {
  const MadeJob made = make_job_of(
      "<workload kind=\"flows\" rate=\"100 Gb/s\" load=\"1\" duration=\"60 ms\">"
      "<flow-sizes catalogue=\"flow-sizes/fb_hadoop\"/></workload>",
      8);
  REQUIRE(made.errors.empty());
  double count = 0, small = 0;
  for (const Program& program : made.job.programs.programs)
    for (const Op& op : program.ops)
      if (op.kind == OpKind::send) ++count, small += op.bytes <= 700 ? 1 : 0;
  CHECK(count == Approx(8 * 0.06 * 12.5e9 / 160'465).epsilon(0.02));
  CHECK(small / count == Approx(0.5).epsilon(0.02));
}

TEST_CASE("more flows of a pair than queue pairs are said") {
  const MadeJob made = flows("load=\"1\" duration=\"400 us\"", 2);
  REQUIRE(made.errors.empty());
  REQUIRE(made.job.notes.size() == 1);
  CHECK(made.job.notes[0].find("more than 256 flows") != std::string::npos);
}
