#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workloads/program/check.hpp"

#include <catch2/catch.hpp>

#include "workloads/program/program_index.hpp"

namespace lightrail {
namespace {

using Catch::Matchers::Contains;

struct Job {
  ProgramSet set;
  GroupTable groups;
  std::vector<std::string> names{"kernel"};

  GroupKindId group(const std::string& name, std::uint32_t count, std::uint32_t gpus) {
    GroupKind kind;
    kind.name = name;
    kind.digits = {{count, 1}};
    return groups.add(kind, gpus);
  }
  void add(std::vector<Op> ops) {
    Program program;
    program.role = "role " + std::to_string(set.programs.size());
    program.streams = {"s"};
    program.ops = std::move(ops);
    set.program_of_gpu.push_back(static_cast<std::uint32_t>(set.programs.size()));
    set.programs.push_back(std::move(program));
  }
  std::vector<std::string> mistakes() const {
    ErrorList errors;
    check_programs(set, groups, names, {}, errors);
    std::vector<std::string> all;
    try {
      errors.throw_if_any();
    } catch (const InputErrors& e) {
      for (const InputError& error : e.errors()) all.push_back(error.what);
    }
    return all;
  }
  std::string only_mistake() const {
    auto all = mistakes();
    REQUIRE(all.size() == 1);
    return all[0];
  }
};

Op reduce(GroupKindId group, std::int64_t bytes) {
  Op op;
  op.kind = OpKind::collective;
  op.collective = CollectiveType::all_reduce;
  op.group = group;
  op.bytes = bytes;
  return op;
}

Op point(OpKind kind, GroupKindId group, std::int32_t offset, std::int64_t bytes) {
  Op op;
  op.kind = kind;
  op.group = group;
  op.peer_mode = PeerMode::offset;
  op.peer = offset;
  op.bytes = bytes;
  return op;
}

}  // namespace

TEST_CASE("groups that agree have no mistakes") {
  Job job;
  GroupKindId tp = job.group("tp", 2, 4), pp = job.group("pp", 4, 4);
  for (int gpu = 0; gpu < 4; ++gpu)
    job.add({reduce(tp, 10), point(OpKind::send, pp, 1, 5), point(OpKind::recv, pp, -1, 5), reduce(tp, 20)});
  CHECK(job.mistakes().empty());
}

TEST_CASE("a group that disagrees on size, kind or number of collectives is named") {
  Job job;
  GroupKindId tp = job.group("tp", 2, 2);
  job.add({reduce(tp, 10), reduce(tp, 20)});
  job.add({reduce(tp, 10), reduce(tp, 30)});
  CHECK(job.only_mistake() ==
        "group 'tp' disagrees on its collective 1: gpu 0 op 1 runs all_reduce of 20 B, gpu 1 op 1 runs "
        "all_reduce of 30 B");
  job.set.programs[1].ops[1] = reduce(tp, 20);
  CHECK(job.mistakes().empty());
  job.set.programs[1].ops[1].collective = CollectiveType::all_gather;
  CHECK_THAT(job.only_mistake(), Contains("gpu 1 op 1 runs all_gather of 20 B"));
  job.set.programs[1].ops.pop_back();
  CHECK_THAT(job.only_mistake(), Contains("gpu 0 op 1 runs all_reduce of 20 B, gpu 1 runs only 1"));
}

TEST_CASE("members take part in the same iterations") {
  Job job;
  GroupKindId tp = job.group("tp", 2, 2);
  job.add({reduce(tp, 10), point(OpKind::send, tp, 1, 5)});
  job.add({reduce(tp, 10), point(OpKind::recv, tp, 1, 5)});
  Op& first = job.set.programs[0].ops[0];
  first.every = 4, first.turn = 3;
  CHECK(job.only_mistake() ==
        "group 'tp' disagrees on its collective 0: gpu 0 op 0 runs all_reduce of 10 B, in iteration 3 of 4, "
        "gpu 1 op 0 runs all_reduce of 10 B");
  job.set.programs[1].ops[0] = first;
  CHECK(job.mistakes().empty());
  job.set.programs[0].ops[1].every = 2;
  CHECK(job.only_mistake() ==
        "group 'tp': gpu 0 sends to gpu 1 message 0 in iteration 0 of 2, which expects it in 0 of 1");
}

TEST_CASE("only one group of equal roles is compared, but every mix of roles is") {
  Job job;
  GroupKindId tp = job.group("tp", 2, 6);
  job.add({reduce(tp, 1)});
  job.add({reduce(tp, 2)});
  job.set.program_of_gpu = {0, 0, 0, 0, 0, 1};
  CHECK_THAT(job.only_mistake(), Contains("gpu 4 op 0 runs all_reduce of 1 B, gpu 5 op 0"));
}

TEST_CASE("sends and receives that do not meet are named") {
  Job job;
  GroupKindId pp = job.group("pp", 2, 2);
  job.add({point(OpKind::send, pp, 1, 5)});
  job.add({});
  CHECK(job.only_mistake() == "group 'pp': gpu 0 sends to gpu 1 1 times, which receives 0 times");
  job.set.programs[1].ops = {point(OpKind::recv, pp, 1, 6)};
  CHECK(job.only_mistake() == "group 'pp': gpu 0 sends to gpu 1 5 B in message 0, which expects 6 B");
  Op far = point(OpKind::send, pp, 7, 5);
  far.peer_mode = PeerMode::index;
  job.set.programs[0].ops = {far};
  CHECK_THAT(job.mistakes()[0],
             Contains("op 0 'kernel' of program 'role 0': peer 7 is not in a group of 2 ('pp')"));
}

TEST_CASE("a GPU outside every group of the kind it uses is named") {
  Job job;
  GroupKind kind;
  kind.name = "some";
  kind.listed = {{EndpointId{0}}};
  GroupKindId some = job.groups.add(kind, 2);
  job.add({reduce(some, 1)});
  job.add({reduce(some, 1)});
  CHECK_THAT(job.only_mistake(), Contains("gpu 1 is in no group of kind 'some'"));
}

TEST_CASE("roots and split matrices must fit the group") {
  Job job;
  GroupKindId tp = job.group("tp", 2, 2);
  Op broadcast = reduce(tp, 1);
  broadcast.collective = CollectiveType::broadcast;
  broadcast.root = 2;
  Op shares = reduce(tp, 1);
  shares.collective = CollectiveType::all_to_all;
  shares.split = 1;
  job.set.splits = {{}, {3, std::vector<double>(9)}};
  job.add({broadcast, shares});
  job.add({broadcast, shares});
  auto all = job.mistakes();
  REQUIRE(all.size() == 2);
  CHECK_THAT(all[0], Contains("root 2 is not in a group of 2 ('tp')"));
  CHECK_THAT(all[1], Contains("a split matrix of 3 for a group of 2 ('tp')"));
}

TEST_CASE("a kernel that takes as long as a split says needs a group that the split fits") {
  Job job;
  Op kernel;
  kernel.kind = OpKind::compute;
  kernel.duration = picoseconds(5);
  kernel.group = job.group("tp", 2, 2);
  kernel.split = 1;
  job.set.splits = {{}, {3, std::vector<double>(9)}};
  job.add({Op{}});
  job.add({kernel});
  CHECK_THAT(job.only_mistake(), Contains("a split matrix of 3 for a group of 2 ('tp')"));
  job.set.programs[1].ops[0].group = GroupKindId{9};
  CHECK_THAT(job.only_mistake(), Contains("group kind 9 does not exist"));
}

TEST_CASE("a program that cannot be executed is refused") {
  Job job;
  Op op;
  op.kind = OpKind::compute;
  op.stream = 3;
  op.bytes = -1;
  op.duration = picoseconds(-5);
  op.shape = 9;
  op.split = 2;
  op.first_dependency = 1;
  op.dependency_count = 2;
  Op timed;
  timed.kind = OpKind::compute;
  timed.shape = 4;
  timed.dependency_count = 1;
  job.add({op, timed});
  job.set.programs[0].dependencies = {1};
  auto all = job.mistakes();
  REQUIRE(all.size() == 7);
  CHECK(all[0] == "op 0 'kernel' of program 'role 0': stream 3 does not exist (the program has 1)");
  CHECK_THAT(all[1], Contains("-1 bytes (a size is not negative)"));
  CHECK_THAT(all[2], Contains("a duration of -5 ps"));
  CHECK_THAT(all[3], Contains("dependencies 1 to 2 do not exist (the program has 1)"));
  CHECK_THAT(all[4], Contains("split matrix 2 does not exist (there are 0)"));
  CHECK_THAT(all[5], Contains("depends on op 1, which is not before it"));
  CHECK_THAT(all[6], Contains("shape 4 does not exist (there are 0)"));
}

TEST_CASE("programs and groups that do not exist are named") {
  Job job;
  job.add({reduce(GroupKindId{3}, 1)});
  CHECK_THAT(job.only_mistake(), Contains("group kind 3 does not exist"));
  job.set.program_of_gpu = {0, 5};
  CHECK(job.only_mistake() == "gpu 1 has program 5 (there are 1)");
  Job none;
  Op op = reduce(none.group("tp", 1, 1), 1);
  op.collective = CollectiveType::none;
  none.add({op});
  CHECK_THAT(none.only_mistake(), Contains("names no collective"));
}

TEST_CASE("more I/O operations than an ordinal can name are refused") {
  Job job;
  Op op;
  op.kind = OpKind::storage_read;
  job.add(std::vector<Op>(65'537, op));
  CHECK(job.only_mistake() == "program 'role 0' has 65537 storage and host copy operations (at most 65536)");
}

TEST_CASE("an exchange of more bytes than a controller of circuits can be told is refused") {
  for (const std::int64_t more : {0, 1}) {
    Job job;
    Op op = reduce(job.group("ep", 1, 1), 1024ll * 0xffffffff + more);
    op.collective = CollectiveType::all_to_all;
    job.add({op});
    if (more == 0)
      CHECK(job.mistakes().empty());
    else
      CHECK_THAT(job.only_mistake(), Contains("an all_to_all of 4398046510081 B (at most 4398046510080)"));
  }
}

TEST_CASE("the index knows places in streams, turns on communicators and I/O ordinals") {
  Program program;
  program.streams = {"a", "b"};
  Op marker, io, on_b = reduce(GroupKindId{0}, 1);
  io.kind = OpKind::storage_write;
  on_b.stream = 1;
  program.ops = {marker, reduce(GroupKindId{0}, 1), on_b, io, reduce(GroupKindId{1}, 1), io};
  ProgramIndex index = make_program_index(program);
  CHECK(index.stream_ops == std::vector<std::vector<std::uint32_t>>{{0, 1, 3, 4, 5}, {2}});
  CHECK(index.position == std::vector<std::uint32_t>{0, 1, 0, 2, 3, 4});
  CHECK(index.turn == std::vector<std::uint32_t>{0, 0, 1, 0, 0, 0});
  CHECK(index.io_ops == std::vector<std::uint32_t>{3, 5});
  CHECK(index.io_ordinal[5] == 1);
}

}  // namespace lightrail
