#include "workloads/program/stand_ins.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

using namespace lightrail;

namespace {

/// 8 GPUs: two pipelines of two stages, each a data-parallel group of 2 ("dp": neighbours, "pp": 4 apart).
struct Job {
  ProgramSet set;
  GroupTable groups;
  GroupKindId dp{}, pp{}, world{};
  std::vector<std::uint32_t> classes;

  Job() {
    dp = groups.add({"dp", {{4, 1}}, {}, 1}, 8);
    pp = groups.add({"pp", {{2, 4}}, {}, 1}, 8);
    world = groups.add({"world", {{8, 1}}, {}, 1}, 8);
    set.programs.resize(2);
    set.program_of_gpu = classes = {0, 0, 0, 0, 1, 1, 1, 1};
  }
  void add(std::uint32_t program, OpKind kind, GroupKindId group, std::uint16_t split = 0) {
    Op op;
    op.kind = kind;
    op.group = group;
    op.split = split;
    op.peer_mode = PeerMode::offset;
    op.peer = 1;
    set.programs[program].ops.push_back(op);
  }
  [[nodiscard]] std::vector<std::uint32_t> chosen() const {
    std::vector<std::uint32_t> numbers;
    for (const EndpointId gpu : stand_ins(set, groups, classes)) numbers.push_back(gpu.value);
    return numbers;
  }
};

}  // namespace

TEST_CASE("one GPU of each class stands for all where nobody talks") {
  CHECK(Job().chosen() == std::vector<std::uint32_t>{0, 4});
}

TEST_CASE("partners of sends and receives come along, members of even collectives do not") {
  Job job;
  job.add(0, OpKind::send, job.pp);
  job.add(0, OpKind::collective, job.dp);
  CHECK(job.chosen() == std::vector<std::uint32_t>{0, 4});
  job.classes = {0, 0, 0, 2,
                 1, 1, 1, 1};  // GPU 3 is slow: its group cannot do without it, nor it without GPU 7
  CHECK(job.chosen() == std::vector<std::uint32_t>{0, 3, 4, 7});
}

TEST_CASE("all members of an exchange with uneven shares are simulated, in programs that come later too") {
  Job job;
  job.set.programs.resize(3);
  job.set.programs[0].next = 2;
  job.add(2, OpKind::collective, job.dp, 1);
  CHECK(job.chosen() == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
}

TEST_CASE("a group over all stages has one of each among the simulated") {
  Job job;
  job.add(0, OpKind::collective, job.world);
  CHECK(job.chosen() == std::vector<std::uint32_t>{0, 4});
}
