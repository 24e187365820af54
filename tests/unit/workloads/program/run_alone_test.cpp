#include "workloads/program/run_alone.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace lightrail;
using Indices = std::vector<std::uint32_t>;

namespace {

/// Operations of a program with three streams, all of the same kind.
struct Ops {
  Program program;
  std::vector<bool> marked;
  Ops() { program.streams = {"compute", "tp", "dp"}; }
  std::uint32_t add(std::uint16_t stream, bool is_marked, const Indices& after = {},
                    OpKind kind = OpKind::compute, std::uint32_t group = 0) {
    Op op;
    op.kind = kind;
    op.collective = kind == OpKind::collective ? CollectiveType::barrier : CollectiveType::none;
    op.stream = stream;
    op.group = GroupKindId{group};
    op.first_dependency = static_cast<std::uint32_t>(program.dependencies.size());
    op.dependency_count = static_cast<std::uint16_t>(after.size());
    program.dependencies.insert(program.dependencies.end(), after.begin(), after.end());
    program.ops.push_back(op);
    marked.push_back(is_marked);
    return static_cast<std::uint32_t>(program.ops.size() - 1);
  }
  [[nodiscard]] std::vector<bool> alone() const {
    return run_alone(program, make_program_index(program), marked);
  }
};

}  // namespace

TEST_CASE("operations of one stream never run beside each other") {
  Ops ops;
  for (int i = 0; i < 3; ++i) ops.add(1, i != 1);
  CHECK(ops.alone() == std::vector<bool>{true, false, true});
}

TEST_CASE("two marked operations of two streams run beside each other unless one waits for the other") {
  Ops free;
  free.add(0, true), free.add(1, true);
  CHECK(free.alone() == std::vector<bool>{false, false});
  Ops ordered;
  ordered.add(0, true), ordered.add(1, true, {0});
  CHECK(ordered.alone() == std::vector<bool>{true, true});
}

TEST_CASE("what is not marked disturbs nobody") {
  Ops ops;
  ops.add(0, false), ops.add(1, true), ops.add(2, false);
  CHECK(ops.alone() == std::vector<bool>{false, true, false});
}

TEST_CASE("an order by way of a third stream counts, and so does what lies behind on a stream") {
  Ops ops;
  ops.add(1, true);        // 0
  ops.add(0, false, {0});  // 1
  ops.add(2, true, {1});   // 2: behind 0
  ops.add(2, true);        // 3: behind 2, so behind 0
  ops.add(1, true);        // 4: beside 2 and 3
  CHECK(ops.alone() == std::vector<bool>{true, false, false, false, false});
}

TEST_CASE("an operation between two of another stream that both wait is alone") {
  Ops ops;
  ops.add(1, true);       // 0
  ops.add(2, true, {0});  // 1
  ops.add(1, true, {1});  // 2
  CHECK(ops.alone() == std::vector<bool>{true, true, true});
}

TEST_CASE("collectives of one communicator follow one another on whatever stream they are") {
  Ops ops;
  ops.add(1, true, {}, OpKind::collective, 7), ops.add(2, true, {}, OpKind::collective, 7);
  CHECK(ops.alone() == std::vector<bool>{true, true});
  Ops others;
  others.add(1, true, {}, OpKind::collective, 7), others.add(2, true, {}, OpKind::collective, 8);
  CHECK(others.alone() == std::vector<bool>{false, false});
}
