// A launch takes 1 us, a call 2 us, a read 5 us.
#include "workloads/program/host_timeline.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

using namespace lightrail;

namespace {

struct Made {
  ProgramSet set;
  HostCosts costs{.launch = microseconds(1), .call = microseconds(2), .read_back = microseconds(5)};
  explicit Made(std::vector<HostWork> works) {
    set.host_work = {HostWork{}};
    set.shapes.emplace_back();
    Program& p = set.programs.emplace_back();
    p.streams = {"compute"};
    for (const HostWork& work : works) {
      Op& op = p.ops.emplace_back();
      op.kind = OpKind::compute;
      if (work == HostWork{}) continue;
      op.host_work = static_cast<std::uint16_t>(set.host_work.size());
      set.host_work.push_back(work);
    }
  }
  [[nodiscard]] HostTimeline timeline() const {
    return make_host_timeline(set.programs[0], make_program_index(set.programs[0]), set, costs);
  }
};

const HostWork kernel{.launches = 1, .calls = 1}, reads{.launches = 1, .calls = 1, .reads_back = 1};

}  // namespace

TEST_CASE("launches follow one another, and what counts nothing needs none") {
  const HostTimeline made = Made({kernel, HostWork{}, HostWork{.launches = 3}, kernel}).timeline();
  CHECK(made.launches[0].last.at == microseconds(3));
  CHECK(made.launches[1].first.at < SimTime{0});
  CHECK(made.launches[2].first.at == microseconds(4));
  CHECK(made.launches[2].last.at == microseconds(6));
  CHECK(made.launches[2].kernels == 3);
  CHECK(made.total.at == microseconds(9));
  CHECK(made.waits.empty());
  CHECK(made.chain == std::vector<std::uint32_t>{4, 3, 2, 1});
}

TEST_CASE("what follows a read counts from the end of what was read") {
  const HostTimeline made = Made({kernel, reads, kernel, kernel}).timeline();
  REQUIRE(made.waits.size() == 1);
  CHECK(made.waits[0].op == 1);
  CHECK(made.waits[0].from.at == microseconds(6));
  CHECK(made.launches[1].waits == 0);
  CHECK(made.launches[2].waits == 1);
  CHECK(made.launches[2].last.at == microseconds(6 + 5 + 3));
  // The CPU must learn when it ends.
  CHECK(made.chain == std::vector<std::uint32_t>{2, 1, 2, 1});
}

TEST_CASE("a CPU waits when it is ahead by as many kernels as it may") {
  Made three(std::vector<HostWork>(6, kernel));
  three.costs.ahead = 3;
  const HostTimeline made = three.timeline();
  REQUIRE(made.waits.size() == 3);
  for (std::uint32_t i = 0; i < 3; ++i) CHECK(made.waits[i].op == i);
  CHECK(made.launches[3].waits == 1);
  CHECK(made.launches[5].waits == 3);
  // An eighth of 16 at once.
  Made sixteen(std::vector<HostWork>(20, kernel));
  sixteen.costs.ahead = 16;
  const HostTimeline many = sixteen.timeline();
  REQUIRE(many.waits.size() == 2);
  CHECK(many.waits[0].op == 2);
  CHECK(many.waits[1].op == 5);
}

TEST_CASE("a read is the last wait that is needed for what was launched before it") {
  std::vector<HostWork> works(4, kernel);
  works[3] = reads;
  works.resize(7, kernel);
  Made made(works);
  made.costs.ahead = 4;
  CHECK(made.timeline().waits.size() == 1);
}

TEST_CASE("graphs, modules, casts and experts have their own times, all longer where nothing is bound") {
  HostCosts costs;
  costs.launch = microseconds(1), costs.module = microseconds(10), costs.cast = microseconds(100);
  costs.expert = microseconds(1000), costs.graph = microseconds(20'000), costs.node = nanoseconds(500);
  costs.unbound = 2;
  const HostWork work{
      .launches = 1, .modules = 1, .casts = 1, .experts = 2, .graphs = 1, .nodes = 2, .reads_back = 1};
  CHECK(host_time(work, costs, {}) == microseconds(22'112));
  CHECK(host_time(work, costs, {.is_bound = false}) == microseconds(44'224));
  CHECK(work.kernels() == 3);
}

TEST_CASE("operations, graphs and reads give the interpreter away, kernels of a graph do not") {
  const HostTimeline made = Made({kernel, HostWork{.graphs = 1, .nodes = 1}, HostWork{.nodes = 1}, reads,
                                  HostWork{.launches = 8, .calls = 8}, HostWork{.launches = 8, .calls = 1}})
                                .timeline();
  std::vector<std::uint32_t> first, last;
  for (const HostTimeline::Launch& launch : made.launches)
    first.push_back(launch.first.handovers), last.push_back(launch.last.handovers);
  CHECK(first == std::vector<std::uint32_t>{1, 2, 2, 3, 5, 13});
  CHECK(last == std::vector<std::uint32_t>{1, 2, 2, 3, 12, 13});
  CHECK(made.total.handovers == 13);
}
