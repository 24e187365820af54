#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/scenario/element.hpp"
#include "workloads/program/program_index.hpp"

using namespace lightrail;
using Indices = std::vector<std::uint32_t>;

namespace {

Op op_of(OpKind kind, std::uint16_t stream, std::uint32_t group = 0) {
  Op op;
  op.kind = kind;
  op.stream = stream;
  op.group = GroupKindId{group};
  return op;
}

/// Adds the operation behind those that it depends on.
void add(Program& program, Op op, const Indices& after = {}) {
  op.first_dependency = static_cast<std::uint32_t>(program.dependencies.size());
  op.dependency_count = static_cast<std::uint16_t>(after.size());
  program.dependencies.insert(program.dependencies.end(), after.begin(), after.end());
  program.ops.push_back(op);
}

/// A set with one shape, two splits of which the first is unused, and that program on GPU 0.
ProgramSet set_of(const Program& program) {
  ProgramSet set;
  set.programs = {program};
  set.program_of_gpu = {0};
  set.shapes.resize(1);
  set.splits.resize(2);
  return set;
}

/// The mistakes of a program.
std::vector<std::string> problems(const Program& program) {
  ErrorList errors;
  check_program(program, set_of(program), {"", "gemm"}, errors);
  std::vector<std::string> texts;
  try {
    errors.throw_if_any();
  } catch (const InputErrors& thrown) {
    for (const InputError& error : thrown.errors()) texts.push_back(error.what);
  }
  return texts;
}

Program two_streams() {
  Program program;
  program.role = "stage 0";
  program.streams = {"compute", "nccl"};
  return program;
}

}  // namespace

TEST_CASE("operations are found by stream, position and turn of their group") {
  Program program = two_streams();
  add(program, op_of(OpKind::compute, 0));
  add(program, op_of(OpKind::collective, 1, 3));
  add(program, op_of(OpKind::collective, 1, 4));
  add(program, op_of(OpKind::compute, 0));
  add(program, op_of(OpKind::collective, 0, 3));
  const ProgramIndex index = make_program_index(program);
  CHECK(index.stream_ops == std::vector<Indices>{{0, 3, 4}, {1, 2}});
  CHECK(index.position == Indices{0, 0, 1, 1, 2});
  CHECK(index.turn == Indices{0, 0, 0, 0, 1});  // group 3 has its second turn on another stream
}

TEST_CASE("kernels in a row are a chain until another stream waits for one or one waits for it") {
  Program program = two_streams();
  for (int i = 0; i < 3; ++i) add(program, op_of(OpKind::compute, 0));
  CHECK(make_program_index(program).chain == Indices{3, 2, 1});
  add(program, op_of(OpKind::compute, 1), {1});  // waits for the second
  CHECK(make_program_index(program).chain == Indices{2, 1, 1, 1});
  add(program, op_of(OpKind::compute, 0), {3});  // waits for the other stream
  CHECK(make_program_index(program).chain == Indices{2, 1, 1, 1, 1});
}

TEST_CASE("kernels of different iterations are no chain") {
  Program program = two_streams();
  for (int i = 0; i < 4; ++i) add(program, op_of(OpKind::compute, 0));
  for (int i = 2; i < 4; ++i) program.ops[i].every = 3, program.ops[i].turn = 2;
  CHECK(make_program_index(program).chain == Indices{2, 1, 2, 1});
  program.ops[3].turn = 1;
  CHECK(make_program_index(program).chain == Indices{2, 1, 1, 1});
}

TEST_CASE("a dependency on the same stream does not end a chain, a kernel of fixed duration does") {
  Program program = two_streams();
  add(program, op_of(OpKind::compute, 0));
  add(program, op_of(OpKind::compute, 0), {0});
  Op fixed = op_of(OpKind::compute, 0);
  fixed.duration = microseconds(1);
  add(program, fixed);
  add(program, op_of(OpKind::compute, 0));
  CHECK(make_program_index(program).chain == Indices{2, 1, 1, 1});
}

TEST_CASE("an I/O operation is found by its ordinal, past the last there is none") {
  Program program = two_streams();
  add(program, op_of(OpKind::compute, 0));
  add(program, op_of(OpKind::storage_read, 0));
  add(program, op_of(OpKind::send, 1));
  add(program, op_of(OpKind::host_copy, 1));
  const ProgramSet set = set_of(program);
  const ProgramIndexes indexes{{make_program_index(program)}};
  CHECK(indexes.of[0].io_ops == Indices{1, 3});
  CHECK(io_operation(set, indexes, EndpointId{0}, 0)->kind == OpKind::storage_read);
  CHECK(io_operation(set, indexes, EndpointId{0}, 1)->kind == OpKind::host_copy);
  CHECK(io_operation(set, indexes, EndpointId{0}, 2) == nullptr);
  CHECK(io_operation(set, indexes, EndpointId{1}, 0) == nullptr);
}

TEST_CASE("a program that can be executed has no mistakes") {
  Program program = two_streams();
  add(program, op_of(OpKind::compute, 0));
  add(program, op_of(OpKind::collective, 1), {0});
  CHECK(problems(program).empty());
}

TEST_CASE("what a program refers to must exist, and sizes and durations are not negative") {
  const auto problem = [](auto&& change) {
    Program program = two_streams();
    add(program, op_of(OpKind::compute, 0));
    Op op = op_of(OpKind::compute, 0);
    op.name = 1;
    add(program, op, {0});
    change(program, program.ops[1]);
    const std::vector<std::string> texts = problems(program);
    REQUIRE(texts.size() == 1);
    return texts[0];
  };
  const std::string op = "op 1 'gemm' of program 'stage 0': ";
  CHECK(problem([](Program&, Op& o) { o.stream = 2; }) == op + "stream 2 does not exist (the program has 2)");
  CHECK(problem([](Program&, Op& o) { o.bytes = -1; }) == op + "-1 bytes (a size is not negative)");
  CHECK(problem([](Program&, Op& o) { o.duration = picoseconds(-5); }) == op + "a duration of -5 ps");
  CHECK(problem([](Program&, Op& o) { o.dependency_count = 2; }) ==
        op + "dependencies 0 to 1 do not exist (the program has 1)");
  CHECK(problem([](Program& p, Op&) { p.dependencies[0] = 1; }) ==
        op + "depends on op 1, which is not before it");
  CHECK(problem([](Program&, Op& o) { o.shape = 1; }) == op + "shape 1 does not exist (there are 1)");
  CHECK(problem([](Program&, Op& o) { o.split = 2; }) == op + "split matrix 2 does not exist (there are 2)");
}

TEST_CASE("operations leave iterations out, and only I/O all but the first, by one rule of the two") {
  const auto of = [](OpKind kind, std::uint16_t every, std::uint16_t turn, bool is_once) {
    Program program = two_streams();
    Op op = op_of(kind, 0);
    op.name = 1, op.every = every, op.turn = turn, op.is_once = is_once;
    add(program, op);
    return problems(program);
  };
  for (const OpKind io : {OpKind::storage_read, OpKind::storage_write, OpKind::host_copy}) {
    CHECK(of(io, 3, 2, false).empty());
    CHECK(of(io, 1, 0, true).empty());
  }
  const std::string op = "op 0 'gemm' of program 'stage 0': ";
  const auto texts = [&](const std::string& what) { return std::vector<std::string>{op + what}; };
  const std::string once =
      "takes place in the first iteration alone (only I/O may, and either in that one or in each so many-th)";
  CHECK(of(OpKind::compute, 3, 2, false).empty());
  CHECK(of(OpKind::compute, 3, 3, false) == texts("takes place in iteration 3 of 3"));
  CHECK(of(OpKind::compute, 1, 0, true) == texts(once));
  CHECK(of(OpKind::storage_read, 3, 2, true) == texts(once));
}

TEST_CASE("a storage server is named by number, or counted from the GPU's own on its network") {
  Op read = op_of(OpKind::storage_read, 0);
  const StorageServers servers{5, 2};
  read.peer = 4;
  CHECK(storage_server_of(read, EndpointId{7}, servers) == 4);
  read.peer_mode = PeerMode::offset;
  CHECK(storage_server_of(read, EndpointId{7}, servers) == 2);  // (7 + 4) % 3
  read.peer = 0;
  CHECK(storage_server_of(read, EndpointId{7}, servers) == 1);
  read.peer_mode = PeerMode::frontend;
  CHECK(storage_server_of(read, EndpointId{7}, servers) == 4);  // 3 + 7 % 2
  read.peer = 1;
  CHECK(storage_server_of(read, EndpointId{7}, servers) == 3);
}

TEST_CASE("only storage is on the front end") {
  Program program;
  program.streams = {"a"};
  Op op = op_of(OpKind::storage_write, 0);
  op.peer_mode = PeerMode::frontend;
  add(program, op);
  CHECK(problems(program) == std::vector<std::string>{});
  program.ops[0].kind = OpKind::send;
  const auto told = problems(program);
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("a partner on the front end (only what storage reads and writes name") !=
        std::string::npos);
}

TEST_CASE("a program has at most 65,536 storage and host copy operations") {
  Program program = two_streams();
  for (int i = 0; i < 65'536; ++i) add(program, op_of(OpKind::host_copy, 0));
  CHECK(problems(program).empty());
  add(program, op_of(OpKind::storage_write, 0));
  CHECK(problems(program) ==
        std::vector<std::string>{
            "program 'stage 0' has 65537 storage and host copy operations (at most 65536)"});
}
