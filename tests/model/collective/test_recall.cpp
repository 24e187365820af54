#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "network/transport/tables.hpp"
#include "tests/model/collective/gpu_bed.hpp"
#include "tests/support/algorithm_named.hpp"
#include "workloads/collective/algorithm_registry.hpp"

/// Collectives that are recalled: what each GPU and each table has is what the run without has.
namespace lightrail::test {
namespace {

using Counts = std::vector<std::int64_t>;  // by RecallOutcome

Counts counts(std::initializer_list<std::pair<RecallOutcome, std::int64_t>> all) {
  Counts by_outcome(recall_outcomes);
  for (const auto& [outcome, number] : all) by_outcome[static_cast<std::size_t>(outcome)] = number;
  return by_outcome;
}

std::vector<std::vector<std::int64_t>> sorted_rows(GpuBed& bed, TableId table) {
  std::vector<std::vector<std::int64_t>> all;
  for (const Row& row : bed.bed.rows(table)) {
    all.push_back(row.values);
    all.back().push_back(row.component.value);
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// What became of the collectives of a run that is like the one without recalls in everything else, also
/// through a checkpoint at `save_at`.
Counts compare(const ClusterShape& shape, const std::function<void(GpuBed&)>& program,
               SimTime save_at = time_never) {
  GpuBed whole(shape), short_one(shape);
  short_one.recalls = true;
  for (GpuBed* bed : {&whole, &short_one}) {
    bed->interval = microseconds(30);
    program(*bed);
    bed->run(bed == &short_one ? save_at : time_never);
  }
  CHECK(whole.bed.end() == short_one.bed.end());
  CHECK(whole.bed.waits() == short_one.bed.waits());
  for (TableId table = 0; table < tables::recalled; ++table) {
    INFO("table " << table);
    CHECK(sorted_rows(whole, table) == sorted_rows(short_one, table));
  }
  Counts all = counts({});
  for (const Row& row : short_one.bed.rows(tables::recalled))
    all[static_cast<std::size_t>(row.values[0])] += row.values[1];
  CHECK(whole.bed.rows(tables::recalled).empty());
  return all;
}

/// `times` times 10 us of computing and the collective, of all GPUs of a server.
std::function<void(GpuBed&)> repeated(const Op& op, int times) {
  return [op, times](GpuBed& bed) {
    Op own = op;
    own.group = bed.group("tp", bed.gpus());
    std::vector<Op> ops;
    for (int i = 0; i < times; ++i) ops.push_back(compute(microseconds(10))), ops.push_back(own);
    bed.run_all(ops);
  };
}

Op named(CollectiveType type, const std::string& algorithm, std::int64_t bytes) {
  Op op = collective(type, {}, bytes, Protocol::auto_select);
  if (!algorithm.empty()) op.algorithm = algorithm_named(algorithm);
  return op;
}

using enum RecallOutcome;
constexpr std::size_t of(RecallOutcome outcome) {
  return static_cast<std::size_t>(outcome);
}
const ClusterShape one_server{.servers = 1, .gpus = 4, .grain = 1, .nvls_efficiency = 0.8};

}  // namespace

TEST_CASE("of three equal all-reduces by rings the second and the third are recalled") {
  // 4 MiB in blocks of 256 packets: 1,536 packets a member leave the credits as they found them.
  CHECK(compare(one_server, repeated(named(CollectiveType::all_reduce, "ring", 4 << 20), 3)) ==
        counts({{recalled, 2}, {first, 1}}));
}

TEST_CASE("what is recalled has no events but those that tell of it") {
  std::array<std::int64_t, 2> events{};
  for (const bool recalls : {false, true}) {
    GpuBed bed(one_server);
    bed.recalls = recalls;
    repeated(named(CollectiveType::all_reduce, "ring", 4 << 20), 101)(bed);
    bed.run();
    events[recalls] = bed.bed.events();
  }
  // A GPU tells, is answered, passes its begin and has two timers; the switch has one of its own.
  const std::int64_t computing = 4 * 101, of_one = events[0] / 101 - 4;
  CHECK(events[1] - computing < of_one + 4 + 100 * (4 * 5 + 1) + 20);
  CHECK(of_one > 100 * (4 * 5 + 1));
}

TEST_CASE("tensor parallelism of 32 layers has a sixtieth of its events, and ends when it did") {
  std::array<std::int64_t, 2> events{};
  std::array<SimTime, 2> ends{};
  for (const bool recalls : {false, true}) {
    GpuBed bed({.servers = 1, .gpus = 8});
    bed.recalls = recalls;
    Op gather = named(CollectiveType::all_gather, "", 16 << 20),
       scatter = named(CollectiveType::reduce_scatter, "", 16 << 20);
    gather.group = scatter.group = bed.group("tp", 8);
    std::vector<Op> ops;
    for (int part = 0; part < 128; ++part)
      ops.insert(ops.end(), {gather, compute(microseconds(part % 2 ? 400 : 250)), scatter});
    bed.run_all(ops);
    bed.run();
    events[recalls] = bed.bed.events();
    ends[recalls] = bed.bed.end();
  }
  CHECK(ends[0] == ends[1]);
  CHECK(events[0] > 60 * events[1]);
}

TEST_CASE("every algorithm of one server is recalled, with the same rows of every table") {
  struct Case {
    CollectiveType type;
    std::string algorithm;
    std::int64_t bytes;
  };
  for (const Case& each : std::vector<Case>{{CollectiveType::all_reduce, "nvls", 1 << 20},
                                            {CollectiveType::all_reduce, "ring", 4096},
                                            {CollectiveType::all_reduce, "halving-doubling", 1 << 20},
                                            {CollectiveType::all_gather, "ring", 1 << 20},
                                            {CollectiveType::all_gather, "nvls", 1 << 20},
                                            {CollectiveType::reduce_scatter, "ring", 1 << 20},
                                            {CollectiveType::reduce_scatter, "nvls", 1 << 20},
                                            {CollectiveType::all_to_all, "direct", 1 << 20},
                                            {CollectiveType::all_to_all, "pairwise", 1 << 20},
                                            {CollectiveType::barrier, "", 0}}) {
    INFO(each.algorithm << " " << each.bytes << " B, type " << static_cast<int>(each.type));
    Counts all = compare(one_server, repeated(named(each.type, each.algorithm, each.bytes), 40));
    // What all send to one at once backs up in the buffers, and may want for credits.
    CHECK(all[of(recalled)] > all[of(first)]);
    CHECK(all[of(recalled)] + all[of(first)] == 40);
  }
}

TEST_CASE("groups of other sizes within those of a whole server do not change what is recalled") {
  ClusterShape shape = one_server;
  shape.gpus = 8;
  const Counts all = compare(shape, [](GpuBed& bed) {
    Op whole = named(CollectiveType::all_reduce, "ring", 4 << 20), part = whole;
    whole.group = bed.group("tp", 8);
    part.group = bed.listed_group("uneven", {{0, 1}, {2, 3, 4, 5, 6, 7}});
    std::vector<Op> ops;
    for (int i = 0; i < 40; ++i)
      ops.insert(ops.end(), {compute(microseconds(10)), i % 20 == 0 ? part : whole});
    bed.run_all(ops);
  });
  CAPTURE(all);
  CHECK(all[of(recalled)] > all[of(first)]);
  CHECK(all[of(apart)] == 2);  // those behind the uneven ones, from which members come at different times
  CHECK(all[of(recalled)] + all[of(first)] == 36);
}

TEST_CASE("a folded ring in trains is recalled") {
  ClusterShape shape = one_server;
  shape.grain = 16;
  CHECK(compare(shape, [](GpuBed& bed) {
          bed.nccl.fold_rings = true;
          repeated(named(CollectiveType::all_reduce, "ring", 4 << 20), 3)(bed);
        }) == counts({{recalled, 2}, {first, 1}}));
}

TEST_CASE("nothing is recalled where credits come back one by one because a buffer is crowded") {
  // 3 MiB and 40 B: blocks of 193 packets, the last of 10 B. What is on the way takes 50 to 90 kB.
  const Op op = named(CollectiveType::all_reduce, "ring", (3 << 20) + 40);
  CHECK(compare(one_server, repeated(op, 60)) == counts({{recalled, 59}, {first, 1}}));
  ClusterShape small = one_server;
  small.nvswitch_buffer = 64 * 1024;
  CHECK(compare(small, repeated(op, 60)) == counts({{first, 1}, {unlike, 59}}));
}

TEST_CASE("members that come one after the other are recalled if they come so again") {
  const auto program = [](const std::vector<int>& late_us) {
    return [late_us](GpuBed& bed) {
      Op op = named(CollectiveType::all_reduce, "ring", 4 << 20);
      op.group = bed.group("tp", 4);
      for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
        Program p;
        p.role = "r";
        p.streams = {"nccl"};
        for (const int late : late_us)
          p.ops.push_back(compute(microseconds(20) + nanoseconds(late * gpu))), p.ops.push_back(op);
        bed.run_on({gpu}, p);
      }
    };
  };
  // All end within a step of the ring of one another: the lags that a member starts with do not add up.
  Counts same = compare(one_server, program(std::vector<int>(30, 100)));
  CAPTURE(same);
  CHECK(same[of(recalled)] > 0);
  CHECK(compare(one_server, program({0, 100})) == counts({{first, 2}}));
}

TEST_CASE("a member that comes when another has begun is waited for in the simulation") {
  CHECK(compare(one_server, [](GpuBed& bed) {
          Op op = named(CollectiveType::all_reduce, "ring", 4 << 20);
          op.group = bed.group("tp", 4);
          for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
            Program p;
            p.role = "r";
            p.streams = {"nccl"};
            // The start of a ring takes 8.4 us.
            for (int i = 0; i < 3; ++i)
              p.ops.push_back(compute(microseconds(gpu == 3 ? 50 : 10))), p.ops.push_back(op);
            bed.run_on({gpu}, p);
          }
        }) == counts({{apart, 3}}));
}

TEST_CASE("what may run beside another operation on NVLink is simulated") {
  CHECK(compare(one_server, [](GpuBed& bed) {
          Op op = named(CollectiveType::all_reduce, "ring", 4 << 20);
          op.group = bed.group("tp", 4);
          Op exchange = named(CollectiveType::all_to_all, "direct", 1 << 20);
          exchange.group = bed.group("ep", 4);
          exchange.stream = 1;
          Program p;
          p.role = "r";
          p.streams = {"tp", "ep"};
          p.dependencies = {2, 3};
          p.ops = {op, op, op, exchange, after(op, 0, 2), op};  // the last two wait for the exchange
          bed.run_on({0, 1, 2, 3}, p);
        }) == counts({{recalled, 1}, {first, 1}, {beside, 4}}));
}

TEST_CASE("a group that is a part of its circle is neither recalled nor counted") {
  CHECK(compare(one_server, [](GpuBed& bed) {
          Op half = named(CollectiveType::all_reduce, "ring", 1 << 20);
          half.group = bed.group("tp", 2);
          Op across = named(CollectiveType::all_reduce, "ring", 1 << 20);
          across.group = bed.group("dp", 2, 2);
          bed.run_all({half, half, half, across});
        }) == counts({}));
}

TEST_CASE("two circles of one NVSwitch are recalled each for itself") {
  CHECK(compare(one_server, [](GpuBed& bed) {
          Op half = named(CollectiveType::all_reduce, "ring", 4 << 20);
          half.group = bed.group("tp", 2);
          bed.run_all({half, half, half});
        }) == counts({{recalled, 4}, {first, 2}}));
}

TEST_CASE("a broadcast whose root goes on long before the last member ends is simulated each time") {
  Counts all = compare(one_server, repeated(named(CollectiveType::broadcast, "ring", 4 << 20), 4));
  CHECK(all[of(recalled)] == 0);
}

TEST_CASE("nothing more is kept when there is no room, and what is kept is recalled") {
  CHECK(compare(one_server, [](GpuBed& bed) {
          bed.kept_runs = 1;
          Op a = named(CollectiveType::all_reduce, "ring", 4 << 20), b = a;
          a.group = b.group = bed.group("tp", 4);
          b.bytes = 8 << 20;
          bed.run_all({a, b, a, b});
        }) == counts({{recalled, 1}, {first, 1}, {full, 2}}));
}

TEST_CASE("messages by way of another GPU's NIC make the whole server one circle") {
  const ClusterShape two{.servers = 2, .gpus = 4, .nics = 4, .joins_rails = true, .grain = 1};
  const auto program = [](std::int32_t to) {
    return [to](GpuBed& bed) {
      Op half = named(CollectiveType::all_reduce, "ring", 1 << 20),
         send = point(OpKind::send, {}, to, 1 << 20);
      half.group = bed.group("tp", 2);
      send.group = bed.group("world", 8);
      Op recv = send;
      recv.kind = OpKind::recv;
      recv.peer = -to;
      recv.stream = 1;
      Program p;
      p.role = "r";
      p.streams = {"a", "b"};
      p.ops = {half, half, send, recv};
      bed.run_on({0, 1, 2, 3, 4, 5, 6, 7}, p);
    };
  };
  // To the same rail of the other server: each pair of GPUs has its NVLinks for itself.
  CHECK(compare(two, program(4)) == counts({{recalled, 4}, {first, 4}}));
  CHECK(compare(two, program(5)) == counts({}));
}

TEST_CASE("a checkpoint in a collective that is recorded or recalled changes nothing") {
  // Each takes 10 us of computing, 8.4 us of start and about 50 us.
  for (int us = 4; us < 220; us += 9)
    CHECK(compare(one_server, repeated(named(CollectiveType::all_reduce, "ring", 4 << 20), 3),
                  microseconds(us) + nanoseconds(111)) == counts({{recalled, 2}, {first, 1}}));
}

namespace {

/// Operations that every GPU sees in one order, each on the same stream everywhere; members may come late.
void random_program(GpuBed& bed, std::uint32_t gpus_of_server, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  const auto one_of = [&](std::initializer_list<std::int64_t> all) {
    return all.begin()[draw() % all.size()];
  };
  const bool is_one_server = bed.gpus() == gpus_of_server;
  const GroupKindId node = bed.group("node", gpus_of_server), world = bed.group("world", bed.gpus());
  const GroupKindId half = gpus_of_server % 2 == 0 ? bed.group("half", gpus_of_server / 2) : node;
  bed.nccl.fold_rings = draw() % 5 == 0;
  bed.nccl.start_skew = draw() % 6 == 0 ? nanoseconds(700) : SimTime{0};
  bed.set.iterations = static_cast<std::uint32_t>(one_of({2, 3, 4}));
  std::vector<Program> programs(bed.gpus());
  for (Program& program : programs) program.role = "r", program.streams = {"main", "side", "in"};
  const bool has_halves = draw() % 3 == 0, has_messages = draw() % 3 == 0;
  const auto add = [&](Op op, std::uint16_t stream, std::int64_t late_ns) {
    op.stream = stream;
    const bool waits = draw() % 4 == 0;
    const auto on = static_cast<std::uint32_t>(draw() % (programs[0].ops.size() + 1));
    for (Program& program : programs) {
      Op own = op;
      if (late_ns > 0) own.duration += nanoseconds(static_cast<std::int64_t>(draw() % 2) * late_ns);
      if (waits && on < program.ops.size()) {
        own.first_dependency = static_cast<std::uint32_t>(program.dependencies.size());
        own.dependency_count = 1;
        program.dependencies.push_back(on);
      }
      program.ops.push_back(own);
    }
  };
  const auto stream = [&] { return static_cast<std::uint16_t>(draw() % 5 == 0); };
  for (std::uint64_t i = 0, count = 3 + draw() % 8; i < count; ++i) {
    const std::uint64_t kind = draw() % 10;
    if (kind < 3) {
      add(compute(microseconds(one_of({1, 30, 80}))), stream(), one_of({0, 0, 600, 4000, 200'000}));
    } else if (kind == 9 && has_messages) {
      const auto to = static_cast<std::int32_t>(1 + draw() % (bed.gpus() - 1));
      const std::int64_t bytes = one_of({1, 20'000, 2'000'000});
      const std::uint16_t by = stream();
      add(point(OpKind::send, world, to, bytes), by, 0);
      add(point(OpKind::recv, world, -to, bytes), 2, 0);
    } else {
      const auto type = static_cast<CollectiveType>(1 + draw() % 6);
      const GroupKindId group = kind == 8 && has_halves ? half : kind == 7 ? world : node;
      Op op =
          named(type, "", type == CollectiveType::barrier ? 0 : one_of({2, 4096, 65'000, 300'002, 1 << 20}));
      op.group = group;
      const bool is_local = group != world || is_one_server;
      if (type == CollectiveType::all_to_all && draw() % 2 == 0) op.algorithm = algorithm_named("pairwise");
      const bool sums = type == CollectiveType::all_reduce || type == CollectiveType::all_gather ||
                        type == CollectiveType::reduce_scatter;
      if (sums && is_local && draw() % 3 == 0) op.algorithm = algorithm_named("nvls");
      if (sums && draw() % 3 == 0) op.algorithm = algorithm_named("ring");
      add(op, stream(), 0);
    }
  }
  for (std::uint32_t gpu = 0; gpu < bed.gpus(); ++gpu) bed.run_on({gpu}, programs[gpu]);
}

}  // namespace

TEST_CASE("random programs have the same tables with and without recalls, also through a checkpoint") {
  Counts all = counts({});
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 draw(seed + 1'000'000);
    ClusterShape shape{.servers = static_cast<std::uint32_t>(1 + draw() % 2),
                       .gpus = static_cast<std::uint32_t>(2 + draw() % 3),
                       .joins_rails = true,
                       .grain = std::array{1u, 1u, 4u, 16u}[draw() % 4],
                       .nvls_efficiency = 0.8};
    shape.nvswitch_buffer = draw() % 3 == 0 ? 64 * 1024 : 1 << 20;
    if (shape.servers > 1) shape.nics = shape.gpus;
    const SimTime save_at = microseconds(static_cast<std::int64_t>(draw() % 1500)) + nanoseconds(13);
    const Counts here = compare(
        shape, [&](GpuBed& bed) { random_program(bed, shape.gpus, seed); }, save_at);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += here[i];
  }
  CAPTURE(all);
  for (const RecallOutcome outcome : {recalled, first, beside, apart, unlike}) CHECK(all[of(outcome)] > 0);
}

}  // namespace lightrail::test
