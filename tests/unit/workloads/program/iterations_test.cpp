#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workloads/program/iterations.hpp"

#include <catch2/catch.hpp>

#include "workloads/program/check.hpp"
#include "workloads/program/groups.hpp"

namespace lightrail {
namespace {

using Catch::Matchers::Contains;

/// Two GPUs that exchange and compute; from the second iteration on they do so by program 1, then 2.
struct Job {
  ProgramSet set;
  GroupTable groups;

  Job() {
    GroupKind kind;
    kind.name = "ep";
    kind.digits = {{2, 1}};
    const GroupKindId ep = groups.add(kind, 2);
    set.shapes.resize(4);
    set.shapes[0].m = 1, set.shapes[1].m = 2;
    set.shapes[2].dtype = DataType::fp8;
    set.shapes[3].scaling = Scaling::rowwise;
    set.splits = {{}, {2, {1, 0, 1, 0}}, {2, {0, 1, 0, 1}}};
    for (std::uint32_t i = 0; i < 3; ++i) {
      Program program;
      program.role = "step " + std::to_string(i);
      program.streams = {"s"};
      Op exchange;
      exchange.kind = OpKind::collective;
      exchange.collective = CollectiveType::all_to_all;
      exchange.group = ep;
      exchange.bytes = 100 + i;
      exchange.split = static_cast<std::uint16_t>(1 + i % 2);
      exchange.root = i;
      Op kernel;
      kernel.kind = OpKind::compute;
      kernel.shape = i % 2;
      kernel.split = exchange.split;
      kernel.group = ep;
      Op storage;
      storage.kind = OpKind::storage_read;
      storage.bytes = 7;
      program.ops = {exchange, kernel, storage};
      program.next = i < 2 ? i + 1 : itself;
      set.programs.push_back(std::move(program));
    }
    set.program_of_gpu = {0, 0};
    set.iterations = 5;
  }
  /// The first one.
  std::string mistake() const {
    ErrorList errors;
    check_programs(set, groups, {"work"}, {}, errors);
    try {
      errors.throw_if_any();
    } catch (const InputErrors& e) {
      return e.errors()[0].what;
    }
    return "";
  }
};

}  // namespace

TEST_CASE("programs follow each other iteration by iteration, the last one again and again") {
  const Job job;
  for (std::uint32_t i = 0; i < 5; ++i) CHECK(program_in(job.set, 0, i) == std::min(i, 2u));
  CHECK(program_in(job.set, 1, 0) == 1);
  std::vector<std::uint32_t> at{0, 2};
  CHECK(go_on(job.set, at));
  CHECK(at == std::vector<std::uint32_t>{1, 2});
  CHECK(go_on(job.set, at));
  CHECK_FALSE(go_on(job.set, at));
  CHECK(at == std::vector<std::uint32_t>{2, 2});
}

TEST_CASE("a program is followed by one that differs in the load of experts alone") {
  CHECK(Job().mistake().empty());
  const auto with = [](void (*change)(Program&)) {
    Job job;
    change(job.set.programs[1]);
    return job.mistake();
  };
  for (void (*change)(Program&) :
       {+[](Program& p) { p.ops.pop_back(); }, +[](Program& p) { p.streams[0] = "t"; },
        +[](Program& p) { p.ops.pop_back(), p.ops.push_back(p.ops[1]), p.dependencies = {0}; }})
    CHECK_THAT(with(change),
               Contains("programs 'step 0' and 'step 1' cannot follow each other: their operations "
                        "differ in number or order"));
  for (void (*change)(Program&) : {+[](Program& p) { p.ops[0].collective = CollectiveType::all_gather; },
                                   +[](Program& p) { p.ops[0].element_bytes = 4; },
                                   +[](Program& p) { p.ops[0].algorithm = static_cast<Algorithm>(7); }})
    CHECK(
        with(change) ==
        "op 0 'work' of program 'step 0' cannot be followed by that of program 'step 1': they differ in more "
        "than the load of experts");
  for (void (*change)(Program&) :
       {+[](Program& p) { p.ops[1].shape = 2; }, +[](Program& p) { p.ops[1].shape = 3; },
        +[](Program& p) { p.ops[1].duration = SimTime{5}; }, +[](Program& p) { p.ops[1].split = 0; },
        +[](Program& p) { p.ops[1].host_work = 1; }})
    CHECK_THAT(with(change), Contains("op 1 'work' of program 'step 0' cannot be followed by"));
  for (void (*change)(Program&) :
       {+[](Program& p) { p.ops[2].bytes = 8; }, +[](Program& p) { p.ops[2].is_once = true; },
        +[](Program& p) { p.ops[2].every = 2; }})
    CHECK_THAT(with(change), Contains("op 2 'work' of program 'step 0' cannot be"));
  CHECK(with(+[](Program& p) { p.next = 1; }) ==
        "program 1 'step 1' goes on with program 1 (a later one of 3)");
  CHECK(with(+[](Program& p) { p.next = 3; }) ==
        "program 1 'step 1' goes on with program 3 (a later one of 3)");
}

TEST_CASE("members of a group must agree in every iteration") {
  Job job;
  job.set.programs.push_back(job.set.programs[0]);  // the other GPU executes its first one again and again
  job.set.programs[3].role = "always";
  job.set.programs[3].next = itself;
  job.set.program_of_gpu = {0, 3};
  CHECK(job.mistake() ==
        "group 'ep' disagrees on its collective 0: gpu 0 op 0 runs all_to_all of 101 B, gpu 1 op 0 runs "
        "all_to_all of 100 B");
}

}  // namespace lightrail
