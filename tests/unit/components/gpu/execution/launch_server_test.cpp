// Each operation takes the CPU 20 us and gives the interpreter away once; getting it back takes 5 ms where
// threads of the process share it.
#include "components/gpu/execution/launch_server.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

using namespace lightrail;

namespace {

/// Of the operations `works`, one behind the other on a stream.
class Cpu {
 public:
  explicit Cpu(const std::vector<HostWork>& works, const HostCosts& costs = usual()) : costs_(costs) {
    set_.host_work = {HostWork{}};
    set_.shapes.emplace_back();
    Program& p = set_.programs.emplace_back();
    p.streams = {"compute"};
    for (const HostWork& work : works) {
      Op& op = p.ops.emplace_back();
      op.kind = OpKind::compute;
      op.host_work = static_cast<std::uint16_t>(set_.host_work.size());
      set_.host_work.push_back(work);
    }
    index_ = make_program_index(p);
  }
  [[nodiscard]] static HostCosts usual() {
    return {.launch = microseconds(4), .call = microseconds(16), .read_back = microseconds(10)};
  }
  /// Takes place in each second iteration alone.
  void leave_out(std::uint32_t op) { set_.programs[0].ops[op].every = 2, set_.programs[0].ops[op].turn = 1; }
  [[nodiscard]] LaunchServer server() const {
    LaunchServer made(std::make_shared<HostTimelines>(set_.programs[0], index_, set_, costs_), costs_,
                      settings_);
    made.record_launches();
    return made;
  }

 private:
  ProgramSet set_;
  ProgramIndex index_;
  HostCosts costs_;
  HostSettings settings_{.switch_interval = milliseconds(5)};
};

const HostWork eager{.launches = 1, .calls = 1};
const HostWork reads{.launches = 1, .calls = 1, .reads_back = 1};
const HostWork node{.nodes = 1};

std::vector<HostWork> works(std::size_t n) {
  return std::vector<HostWork>(n, eager);
}

std::vector<SimTime> starts(const LaunchServer& server, std::uint32_t first, std::uint32_t end) {
  std::vector<SimTime> all;
  for (std::uint32_t op = first; op < end; ++op) all.push_back(server.start_of(op));
  return all;
}

}  // namespace

// At 50 us two are launched; the third, at 60 us without threads, waits for the interpreter once.
TEST_CASE("every operation waits for an interpreter that threads share, from the one that is launched on") {
  const Cpu cpu(works(6));
  LaunchServer server = cpu.server();
  server.share_interpreter(microseconds(50));
  CHECK(starts(server, 2, 6) == std::vector<SimTime>{microseconds(5'060), microseconds(10'080),
                                                     microseconds(15'100), microseconds(20'120)});
  // What was launched before was launched when it was.
  CHECK(server.launch_of(0) == microseconds(20));
  CHECK(server.launch_of(1) == microseconds(40));
  CHECK(server.launch_of(2) == microseconds(5'060));
}

// At 10,090 us the fourth is launched and the fifth would be at 15,100: it has the interpreter at once.
TEST_CASE("when the threads have ended the operation that waits has the interpreter") {
  const Cpu cpu(works(6));
  LaunchServer server = cpu.server();
  server.share_interpreter(microseconds(50));
  server.regain_interpreter(microseconds(12'000));
  CHECK(starts(server, 4, 6) == std::vector<SimTime>{microseconds(12'000), microseconds(12'020)});
  for (const auto& [op, at] : {std::pair{1u, 40}, {2u, 5'060}, {3u, 10'080}, {4u, 12'000}, {5u, 12'020}})
    CHECK(server.launch_of(op) == microseconds(at));
  // An instant after a launch the next one has not come to its handover: it takes what it takes.
  LaunchServer early = cpu.server();
  early.share_interpreter(microseconds(50));
  early.regain_interpreter(microseconds(10'085));
  CHECK(early.start_of(4) == microseconds(10'100));
}

TEST_CASE("threads that begin and end between two launches cost nothing") {
  const Cpu cpu(works(6));
  LaunchServer server = cpu.server();
  server.share_interpreter(microseconds(41));
  server.regain_interpreter(microseconds(42));
  CHECK(starts(server, 2, 6) == starts(cpu.server(), 2, 6));
}

TEST_CASE("a shared interpreter stays shared in the next iteration, and after a restart it is not") {
  const Cpu cpu(works(4));
  LaunchServer server = cpu.server();
  server.share_interpreter(SimTime{0});
  server.end_iteration(0);
  CHECK(server.start_of(0) == 5 * milliseconds(5) + microseconds(100));
  LaunchServer again = server;
  again.begin_again(milliseconds(100), 1);
  CHECK(again.start_of(3) == milliseconds(100) + microseconds(80));
}

// The third is read: the CPU waits for its end, and then for the interpreter, which it gave away to wait.
TEST_CASE("reading a value gives the interpreter away once more") {
  const Cpu cpu({eager, eager, reads, eager});
  LaunchServer server = cpu.server();
  server.share_interpreter(SimTime{0});
  CHECK(server.start_of(3) == time_never);
  server.pass_waits(milliseconds(40), [](std::uint32_t) { return true; });
  CHECK(server.start_of(3) == milliseconds(40) + microseconds(30) + 2 * milliseconds(5));
  CHECK(server.launch_of(3) == server.start_of(3));
  CHECK(server.launch_of(1) == 2 * milliseconds(5) + microseconds(40));
}

TEST_CASE("the kernels of a graph need no interpreter but for its launch") {
  HostCosts costs = Cpu::usual();
  costs.graph = microseconds(10), costs.node = microseconds(1);
  const Cpu cpu({{.graphs = 1, .nodes = 1}, node, node, eager}, costs);
  LaunchServer server = cpu.server();
  server.share_interpreter(SimTime{0});
  CHECK(starts(server, 0, 4) == std::vector<SimTime>{microseconds(5'011), microseconds(5'012),
                                                     microseconds(5'013), microseconds(10'033)});
}

// Of four operations the third takes place in iterations 1, 3 ...
TEST_CASE("what an iteration leaves out takes no time of its CPU") {
  Cpu cpu(works(4));
  cpu.leave_out(2);
  LaunchServer server = cpu.server();
  CHECK_FALSE(server.has_work(2));
  CHECK(server.start_of(3) == microseconds(60));
  server.end_iteration(0);
  CHECK(server.has_work(2));
  CHECK(server.start_of(3) == microseconds(60 + 80));
  server.end_iteration(1);
  CHECK(server.start_of(3) == microseconds(60 + 80 + 60));
  LaunchServer again = cpu.server();
  again.begin_again(microseconds(500), 3);
  CHECK(again.start_of(3) == microseconds(580));
}

// The third is read, and nothing comes behind it: the CPU has waited for its end when the threads begin.
TEST_CASE("threads that begin and end behind the last operation of an iteration cost the next one nothing") {
  const Cpu cpu({eager, eager, reads});
  const auto next = [&](bool shares) {
    LaunchServer server = cpu.server();
    server.pass_waits(milliseconds(40), [](std::uint32_t) { return true; });
    if (shares) server.share_interpreter(milliseconds(40));
    server.end_iteration(0);
    if (shares) server.regain_interpreter(milliseconds(40) + nanoseconds(1));
    return server.start_of(0);
  };
  CHECK(next(true) == next(false));
  CHECK(next(false) == milliseconds(40) + microseconds(30));
}
