#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "components/gpu/execution/exposed_time.hpp"
#include "components/gpu/tables.hpp"
#include "tests/model/collective/gpu_bed.hpp"

namespace lightrail::test {
namespace {

constexpr std::int64_t no = -1;

/// (use, dimension, group) -> time [ps], of a GPU's iteration.
using Split = std::map<std::tuple<TimeUse, std::int64_t, std::int64_t>, std::int64_t>;

Split split_of(GpuBed& bed, std::uint32_t gpu, std::int64_t iteration = 0) {
  Split split;
  for (const Row& row : bed.bed.rows(tables::exposed))
    if (row.values[0] == gpu && row.values[1] == iteration) {
      const auto use = static_cast<TimeUse>(row.values[2]);
      CHECK(split.emplace(std::tuple{use, row.values[3], row.values[4]}, row.values[5]).second);
      CHECK(row.values[5] > 0);
    }
  return split;
}

std::int64_t sum(const Split& split) {
  std::int64_t all = 0;
  for (const auto& [key, time] : split) all += time;
  return all;
}

/// The rows of every iteration of every GPU add up to its time, and compute is that of `steps`.
void check_sums(GpuBed& bed) {
  CHECK_FALSE(bed.bed.rows(tables::steps).empty());
  for (const Row& row : bed.bed.rows(tables::steps)) {
    Split split = split_of(bed, static_cast<std::uint32_t>(row.values[0]), row.values[1]);
    CHECK(sum(split) == row.values[3] - row.values[2]);
    CHECK((split[{TimeUse::compute, no, no}]) == row.values[4]);
  }
}

Op on_stream(Op op, std::uint16_t stream, std::uint16_t dimension = 0) {
  op.stream = stream;
  op.dimension = dimension;
  return op;
}

// Over the eager limit: the sender waits for the receiver.
constexpr std::int64_t message = 16 << 20;
constexpr SimTime wire{message * nvlink_ps};

/// Two stages: one works for `work` and sends, the other receives and works for 1 us. `start`: of the second.
GpuBed pipeline(SimTime work, SimTime start, std::int64_t bytes = message) {
  GpuBed bed({.gpus = 2});
  const GroupKindId pp = bed.group("pp", 2);
  Program first, second;
  first.role = "stage 0", second.role = "stage 1";
  first.streams = second.streams = {"compute", "pp"};
  first.dependencies = {0};
  first.ops = {compute(work), after(on_stream(point(OpKind::send, pp, 1, bytes), 1), 0, 1)};
  second.dependencies = {0, 1};
  second.ops = {compute(start), after(on_stream(point(OpKind::recv, pp, -1, bytes), 1, 1), 0, 1),
                after(compute(microseconds(1)), 1, 1)};
  bed.run_on({0}, first);
  bed.run_on({1}, second);
  return bed;
}

}  // namespace

TEST_CASE("time of a receive before its sender's first byte is bubble, the rest is communication") {
  const SimTime work = milliseconds(3);
  GpuBed bed = pipeline(work, microseconds(1));
  bed.run();
  check_sums(bed);
  Split split = split_of(bed, 1);
  CHECK(split.size() == 3);
  CHECK((split[{TimeUse::compute, no, no}]) == microseconds(2).count());
  const std::int64_t bubble = split[{TimeUse::bubble, 1, 0}], bytes = split[{TimeUse::communication, 1, 0}];
  // The receiver's own start and the bytes on the line are communication; the sender's work, its start and
  // the way of the first packet are bubble.
  const SimTime base = bed.nccl.point_base(bed.nccl.point_protocol(message));
  CHECK(bubble > (work - microseconds(1) - base).count());
  CHECK(bubble < (work + 2 * base + microseconds(5)).count());
  CHECK(bytes >= (base + wire).count());
  CHECK(bytes < (base + wire + microseconds(20)).count());
}

TEST_CASE("a receive whose bytes are here already has no bubble") {
  // Under the eager limit: sent long before.
  GpuBed bed = pipeline(microseconds(1), milliseconds(1), 4096);
  bed.run();
  check_sums(bed);
  CHECK(split_of(bed, 1).count({TimeUse::bubble, 1, 0}) == 0);
}

TEST_CASE("time of a send before its receiver is ready is bubble") {
  GpuBed bed = pipeline(microseconds(1), milliseconds(2));
  bed.run();
  check_sums(bed);
  Split split = split_of(bed, 0);
  const std::int64_t bubble = split[{TimeUse::bubble, 0, 0}];
  CHECK(bubble > milliseconds(1).count());
  CHECK(bubble < (milliseconds(2) + microseconds(100)).count());
  CHECK((split[{TimeUse::communication, 0, 0}]) >= wire.count());
}

TEST_CASE("a kernel in between takes its time out of the bubble or out of the bytes") {
  // On a stream of its own a kernel runs while the receive waits, and one while its bytes come in.
  const auto split_beside = [](SimTime at) {
    GpuBed bed({.gpus = 2});
    const GroupKindId pp = bed.group("pp", 2);
    Program first, second;
    first.role = "stage 0", second.role = "stage 1";
    first.streams = {"compute", "pp"};
    second.streams = {"compute", "pp", "host", "side"};
    first.dependencies = {0};
    first.ops = {compute(milliseconds(3)), after(on_stream(point(OpKind::send, pp, 1, 64 << 20), 1), 0, 1)};
    second.dependencies = {0, 1};
    second.ops = {on_stream(point(OpKind::recv, pp, -1, 64 << 20), 1), host(at, 2),
                  after(compute(microseconds(1)), 0, 1), after(compute(microseconds(7), 3), 1, 1)};
    bed.run_on({0}, first);
    bed.run_on({1}, second);
    bed.run();
    check_sums(bed);
    return split_of(bed, 1);
  };
  Split in_bubble = split_beside(milliseconds(1)),
        in_bytes = split_beside(milliseconds(3) + microseconds(50));
  for (Split* split : {&in_bubble, &in_bytes})
    CHECK(((*split)[{TimeUse::compute, no, no}]) == microseconds(8).count());
  CHECK((in_bytes[{TimeUse::bubble, 0, 0}]) - (in_bubble[{TimeUse::bubble, 0, 0}]) ==
        microseconds(7).count());
  CHECK((in_bubble[{TimeUse::communication, 0, 0}]) - (in_bytes[{TimeUse::communication, 0, 0}]) ==
        microseconds(7).count());
}

TEST_CASE("time goes to what the next kernel waits for, not to what runs beside it") {
  // A long all-reduce of gradients is under way; the kernel waits for the short one of the other group.
  GpuBed bed({.gpus = 2});
  const GroupKindId dp = bed.group("dp", 2), tp = bed.group("tp", 2);
  Op gradients = on_stream(collective(CollectiveType::all_reduce, dp, 64 << 20), 1, 0);
  Op tensor = on_stream(collective(CollectiveType::all_reduce, tp, 1 << 20), 2, 1);
  Program p;
  p.role = "r";
  p.streams = {"compute", "dp", "tp"};
  p.dependencies = {1};
  p.ops = {gradients, tensor, after(compute(microseconds(5)), 0, 1)};
  bed.run_on({0, 1}, p);
  bed.run();
  check_sums(bed);
  Split split = split_of(bed, 0);
  CHECK((split[{TimeUse::communication, 1, 1}]) == bed.end_of(0, 1).count());
  CHECK((split[{TimeUse::compute, no, no}]) == microseconds(5).count());
  CHECK((split[{TimeUse::communication, 0, 0}]) == (bed.end_of(0, 0) - bed.end_of(0, 2)).count());
}

TEST_CASE("a collective that waits for its turn counts for the one whose turn it is") {
  GpuBed bed({.gpus = 2});
  const GroupKindId tp = bed.group("tp", 2);
  Op first = on_stream(collective(CollectiveType::all_reduce, tp, 1 << 20), 1, 0);
  Op second = on_stream(collective(CollectiveType::all_reduce, tp, 1 << 20), 2, 1);
  Program p;
  p.role = "r";
  p.streams = {"compute", "a", "b"};
  p.dependencies = {1};
  p.ops = {first, second, after(compute(microseconds(5)), 0, 1)};
  bed.run_on({0, 1}, p);
  bed.run();
  check_sums(bed);
  Split split = split_of(bed, 0);
  CHECK((split[{TimeUse::communication, 0, 0}]) == bed.end_of(0, 0).count());
  CHECK((split[{TimeUse::communication, 1, 0}]) == (bed.end_of(0, 1) - bed.end_of(0, 0)).count());
}

TEST_CASE("waiting for a CPU, a copy to the host and a storage server are told apart") {
  GpuBed bed({.gpus = 1, .nics = 1, .has_host = true, .storage = 1});
  Op read, copy;
  read.kind = OpKind::storage_read, copy.kind = OpKind::host_copy;
  read.bytes = copy.bytes = 1 << 20;
  copy.peer = 1;
  read.stream = 1, copy.stream = 1;
  Program p;
  p.role = "r";
  p.streams = {"compute", "io", "host"};
  p.dependencies = {1, 2, 3};
  p.ops = {compute(microseconds(1)), read, copy, host(milliseconds(20), 2),
           after(compute(microseconds(1)), 0, 3)};
  bed.run_on({0}, p);
  bed.run();
  check_sums(bed);
  Split split = split_of(bed, 0);
  CHECK((split[{TimeUse::storage, no, no}]) == (bed.end_of(0, 1) - microseconds(1)).count());
  CHECK((split[{TimeUse::copy, no, no}]) == (bed.end_of(0, 2) - bed.end_of(0, 1)).count());
  CHECK((split[{TimeUse::host, no, no}]) == (milliseconds(20) - bed.end_of(0, 2)).count());
}

// The first runs from 0 on, as nothing has to launch it; the others are launched while it runs, the kernel
// behind the second one, which waits for the first on its stream.
TEST_CASE("a kernel held back by the order of launches waits for what runs, not for its host") {
  GpuBed bed({.gpus = 2, .has_host = true});
  bed.host_spec->costs.launch = microseconds(1);
  bed.set.host_work = {HostWork{}, HostWork{.launches = 1}};
  bed.set.host.launches_in_order = true;
  const GroupKindId dp = bed.group("dp", 2);
  const Op reduce = on_stream(collective(CollectiveType::reduce_scatter, dp, 64 << 20), 1, 1);
  Program p;
  p.role = "r";
  p.streams = {"compute", "nccl dp"};
  p.ops = {reduce, reduce, compute(microseconds(5))};
  p.ops[1].host_work = p.ops[2].host_work = 1;
  bed.run_on({0, 1}, p);
  bed.run();
  check_sums(bed);
  CHECK(bed.start_of(0, 2) == bed.end_of(0, 0));
  Split split = split_of(bed, 0);
  CHECK(split.count({TimeUse::host, no, no}) == 0);
  CHECK((split[{TimeUse::compute, no, no}]) == microseconds(5).count());
  CHECK((split[{TimeUse::communication, 1, 0}]) == (bed.end_of(0, 1) - microseconds(5)).count());
}

TEST_CASE("every iteration has its own rows, and a checkpoint changes none of them") {
  const auto rows = [](SimTime save_at) {
    GpuBed bed = pipeline(microseconds(400), microseconds(1));
    bed.set.iterations = 3;
    bed.run(save_at);
    check_sums(bed);
    std::vector<std::vector<std::int64_t>> all;
    for (const Row& row : bed.bed.rows(tables::exposed))
      all.emplace_back(row.values.begin(), row.values.end());
    return all;
  };
  const auto whole = rows(time_never);
  CHECK(whole.size() > 9);
  // In the bubble, among the bytes, in the second iteration.
  for (const SimTime at : {microseconds(200), microseconds(460), microseconds(700)}) CHECK(rows(at) == whole);
}

}  // namespace lightrail::test
