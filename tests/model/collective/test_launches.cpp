// Kernels that a host launches. A launch takes 4 us, its operation of the framework 16 us: C = 20 us a
// kernel; a kernel starts 6 us after its launch at the earliest. A kernel of `us` moves (us - 2) MB.
#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <vector>

#include "components/gpu/execution/exposed_time.hpp"
#include "components/gpu/tables.hpp"
#include "tests/model/collective/gpu_bed.hpp"

namespace lightrail::test {
namespace {

const HostWork eager{.launches = 1, .calls = 1};

struct Launches {
  explicit Launches(std::vector<int> kernels_us, std::vector<HostWork> work = {eager})
      : bed({.gpus = 1, .has_host = true}) {
    HostCosts& costs = bed.host_spec->costs;
    costs.launch = microseconds(4), costs.call = microseconds(16), costs.start = microseconds(6);
    costs.graph = microseconds(10), costs.node = nanoseconds(500), costs.read_back = microseconds(10);
    program.role = "r";
    program.streams = {"compute"};
    bed.set.host_work = {HostWork{}};
    for (std::size_t i = 0; i < kernels_us.size(); ++i) {
      KernelShape shape;
      shape.kind = KernelKind::memory_bound;
      shape.bytes = (kernels_us[i] - 2) * 1'000'000;
      bed.set.shapes.push_back(shape);
      Op op = compute(SimTime{0});
      op.shape = static_cast<std::uint32_t>(i);
      op.host_work = static_cast<std::uint16_t>(bed.set.host_work.size());
      program.ops.push_back(op);
      bed.set.host_work.push_back(work[i % work.size()]);
    }
  }
  /// When each kernel ends [us].
  std::vector<double> ends(SimTime save_at = time_never) {
    bed.run_on({0}, program);
    bed.run(save_at);
    std::vector<double> all;
    for (std::uint32_t op = 0; op < program.ops.size(); ++op)
      all.push_back(static_cast<double>(bed.end_of(0, op).count()) * 1e-6);
    return all;
  }
  /// When each kernel was launched [us].
  std::vector<double> launches(SimTime save_at = time_never) {
    ends(save_at);
    std::vector<double> all(program.ops.size());
    for (const Row& row : bed.bed.rows(tables::ops))
      all[static_cast<std::size_t>(row.values[2])] = static_cast<double>(row.values[10]) * 1e-6;
    return all;
  }
  HostCosts& costs() { return bed.host_spec->costs; }
  GpuBed bed;
  Program program;
};

std::vector<int> times(std::size_t n, int us) {
  return std::vector<int>(n, us);
}

}  // namespace

TEST_CASE("short kernels take what the host takes to launch them") {
  Launches run(times(10, 10));
  // n C, start, and the last kernel.
  CHECK(run.ends().back() == 10 * 20 + 6 + 10);
  const Row step = run.bed.bed.rows(tables::steps).at(0);
  CHECK(SimTime{step.values[4]} == microseconds(100));  // ten kernels
  CHECK(SimTime{step.values[6]} == microseconds(116));  // idle, all of it
  CHECK(SimTime{step.values[7]} == microseconds(116));  // ... for the host
}

TEST_CASE("behind long kernels the first launch alone is seen") {
  Launches run(times(10, 50));
  CHECK(run.ends().back() == 20 + 6 + 10 * 50);
  CHECK(SimTime{run.bed.bed.rows(tables::steps).at(0).values[7]} == microseconds(26));
}

TEST_CASE("a host of which nothing is known, and an operation that counts nothing, launch at once") {
  Launches unknown(times(3, 10));
  unknown.costs() = {};
  CHECK(unknown.ends() == std::vector<double>{10, 20, 30});
  Launches nothing(times(3, 10), {HostWork{}});
  for (Op& op : nothing.program.ops) op.host_work = 0;
  CHECK(nothing.ends() == std::vector<double>{10, 20, 30});
}

TEST_CASE("a host is so many kernels ahead at most") {
  std::vector<int> kernels = times(10, 100);
  kernels.resize(20, 2);
  // All 20 are launched at 400 us, long before the GPU has come to the short ones.
  CHECK(Launches(kernels).ends().back() == 26 + 10 * 100 + 10 * 2);
  // Two ahead: launched at T(i) = max(T(i - 1), end(i - 2)) + C. end(9) = 1026, T(11) = 1026 + C, and nine
  // short ones from there, each of C; T(19) = 1206.
  Launches close(kernels);
  close.costs().ahead = 2;
  CHECK(close.ends().back() == 1206 + 6 + 2);
  // Sixteen: launched two at a time, when an eighth of them may.
  Launches some(kernels);
  some.costs().ahead = 16;
  CHECK(some.ends().back() == 1046);
}

TEST_CASE("a host that reads a value back has lost its lead") {
  HostWork reads = eager;
  reads.reads_back = 1;
  Launches run(times(5, 100), {eager, eager, reads, eager, eager});
  // The third ends at 326; read in 10, the fourth launched in C, started in 6.
  CHECK(run.ends() == std::vector<double>{126, 226, 326, 326 + 10 + 20 + 6 + 100, 562});
  // Where the host comes late the GPU has long ended, and reading takes its time alone.
  Launches late(times(5, 2), {eager, eager, reads, eager, eager});
  CHECK(late.ends() == std::vector<double>{28, 48, 68, 68 + 10 + 20 + 6 + 2, 126});
}

// The fourth is launched in C behind the read, the third's end at 326 and 10 for reading it.
TEST_CASE("an operation says when it was launched, also behind a read") {
  HostWork reads = eager;
  reads.reads_back = 1;
  const std::vector<HostWork> work{eager, eager, reads, eager, eager};
  const std::vector<double> launched{20, 40, 60, 356, 376};
  CHECK(Launches(times(5, 100), work).launches() == launched);
  for (const int us : {10, 50, 200, 330, 360, 400})
    CHECK(Launches(times(5, 100), work).launches(microseconds(us)) == launched);
}

TEST_CASE("a graph launches once and then node by node") {
  const HostWork first{.graphs = 1, .nodes = 1}, node{.nodes = 1};
  Launches run(times(10, 2), {first, node, node, node, node, node, node, node, node, node});
  CHECK(run.ends().back() == 10.5 + 6 + 10 * 2);
  CHECK(Launches(times(10, 2)).ends().back() == 10 * 20 + 6 + 2);
}

TEST_CASE("an operation of several launches begins with the first and ends behind the last") {
  HostWork eight{.launches = 8, .calls = 8};
  CHECK(Launches({16}, {eight}).ends().back() == 8 * 20 + 6 + 2);  // an eighth of 16 us
  CHECK(Launches({800}, {eight}).ends().back() == 20 + 6 + 800);
}

// Eight kernels of 2 us are launched at 20, 40 ... 160 us and start 6 us later; the time between them is the
// host's, also where the operation runs beside no other in a chain of two, and through a checkpoint.
TEST_CASE("what an operation waits between its launches is the host's time, not compute") {
  const HostWork eight{.launches = 8, .calls = 8};
  for (const SimTime save_at : {time_never, microseconds(100)}) {
    Launches run({16, 16}, {eight});
    CHECK(run.ends(save_at).back() == 16 * 20 + 6 + 2);
    const Row step = run.bed.bed.rows(tables::steps).at(0);
    CHECK(SimTime{step.values[4]} == microseconds(32));
    CHECK(SimTime{step.values[7]} == microseconds(16 * 20 + 6 + 2 - 32));
    SimTime host{};
    for (const Row& row : run.bed.bed.rows(tables::exposed))
      if (row.values[2] == static_cast<std::int64_t>(TimeUse::host)) host += SimTime{row.values[5]};
    CHECK(host == microseconds(16 * 20 + 6 + 2 - 32));
  }
}

TEST_CASE("each kind of work has its time") {
  Launches run({2}, {HostWork{.launches = 1, .calls = 2, .modules = 3, .casts = 4, .experts = 5}});
  run.costs().module = microseconds(100), run.costs().cast = microseconds(1000);
  run.costs().expert = microseconds(10'000);
  CHECK(run.ends().back() == 4 + 2 * 16 + 300 + 4000 + 50'000 + 6 + 2);
}

TEST_CASE("a stream has a gap behind every kernel") {
  Launches run(times(4, 50));
  run.costs().gap = microseconds(2);
  CHECK(run.ends().back() == 26 + 4 * 52);
}

TEST_CASE("a process that is not bound to its cores takes as many times as long") {
  Launches run(times(4, 2));
  run.costs().unbound = 1.5;
  run.bed.set.host.is_bound = false;
  CHECK(run.ends().back() == 4 * 30 + 6 + 2);
}

// Two kernels of 10 us: launched at 20 and 40, the step ends at 56. The next begins at 40 + 30.
TEST_CASE("the host goes on with the next iteration, and collects its garbage in each nth") {
  const auto second_end = [](std::uint32_t collects_every) {
    Launches run(times(2, 10));
    run.costs().step = microseconds(30), run.costs().collection = microseconds(100);
    run.bed.set.iterations = 3;
    run.bed.set.host.collects_every = collects_every;
    run.ends();
    return SimTime{run.bed.bed.rows(tables::steps).at(1).values[3]};
  };
  CHECK(second_end(0) == microseconds(40 + 30 + 40 + 6 + 10));
  CHECK(second_end(3) == second_end(0));
  CHECK(second_end(2) == second_end(0) + microseconds(100));
  CHECK(second_end(1) == second_end(0) + microseconds(200));
}

// On its own stream, a kernel that waits for the first one (100 us) keeps back what is launched after it.
TEST_CASE("with one connection kernels of all streams start in the order of their launches") {
  const auto start_of_last = [](bool in_order) {
    Launches run({100, 10, 10});
    run.program.streams = {"compute", "second", "third"};
    run.program.ops[1].stream = 1, run.program.ops[2].stream = 2;
    run.program.dependencies = {0};
    run.program.ops[1] = after(run.program.ops[1], 0, 1);
    run.bed.set.host.launches_in_order = in_order;
    run.ends();
    return run.bed.start_of(0, 2);
  };
  CHECK(start_of_last(false) == microseconds(3 * 20 + 6));
  CHECK(start_of_last(true) == microseconds(126));
}

TEST_CASE("a checkpoint keeps how far a host is") {
  HostWork reads = eager;
  reads.reads_back = 1;
  const std::vector<HostWork> work{eager, reads, eager, eager, eager};
  const std::vector<int> kernels{2, 100, 2, 50, 50, 2, 2, 60, 2, 2, 2, 90, 90, 2, 2};
  const auto ends = [&](SimTime save_at) {
    Launches run(kernels, work);
    run.costs().ahead = 3;
    return run.ends(save_at);
  };
  for (const int us : {3, 10, 27, 90, 150, 153, 200, 260, 300, 410})
    CHECK(ends(microseconds(us)) == ends(time_never));
}

// Interference in a chain: the first of two kernels is slowed, the second has long been launched.
TEST_CASE("kernels that the host has launched are slowed as others are") {
  const auto ends = [](bool has_host) {
    GpuBed bed({.gpus = 2, .has_host = has_host});
    bed.host_spec->costs.launch = nanoseconds(1);
    bed.gpu_spec->compute.collective_memory = 2;
    KernelShape shape;
    shape.kind = KernelKind::memory_bound;
    shape.bytes = 1'000'000'000;
    bed.set.shapes = {shape};
    bed.set.host_work = {HostWork{}, HostWork{.launches = 1}};
    Program p;
    p.role = "r";
    p.streams = {"compute", "nccl"};
    Op reduce = collective(CollectiveType::all_reduce, bed.group("tp", 2), 100'000'000);
    reduce.stream = 1;
    p.ops = {compute(SimTime{0}), compute(SimTime{0}), reduce};
    for (Op& op : p.ops) op.host_work = 1;
    bed.run_on({0, 1}, p);
    bed.run();
    return bed.end_of(0, 1);
  };
  // One launch before the first, three before the collective.
  CHECK(ends(true) - ends(false) < nanoseconds(4));
  CHECK(ends(true) > ends(false));
  CHECK(ends(false) > microseconds(2'100));
}

}  // namespace lightrail::test
