#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "network/port/tables.hpp"
#include "tests/model/collective/gpu_bed.hpp"
#include "tests/support/algorithm_named.hpp"
#include "workloads/program/program_index.hpp"

namespace lightrail::test {
namespace {

/// A kernel that moves `bytes`: 2 us and a microsecond for a million.
KernelShape moves(std::int64_t bytes) {
  KernelShape shape;
  shape.kind = KernelKind::memory_bound;
  shape.bytes = bytes;
  return shape;
}

}  // namespace

TEST_CASE("a kernel of bytes takes its latency and its bytes at the share of the bandwidth") {
  GpuBed bed({.gpus = 1});
  bed.set.shapes = {moves(1'000'000'000)};
  bed.run_all({compute(SimTime{0})});
  bed.run();
  // 2 us + 1 GB at half of 2 TB/s
  CHECK(bed.end_of(0, 0) == microseconds(1'002));
}

namespace {

/// Three kernels of 1,002 us each; beside them an all-reduce of `bytes` over two GPUs starts at 1,500 us,
/// holds 20 of 100 multiprocessors and takes `traffic` bytes of memory bandwidth for each it receives.
struct KernelsBesideReduce {
  explicit KernelsBesideReduce(std::int64_t bytes, SimTime save_at = time_never,
                               KernelKind kind = KernelKind::gemm, double traffic = 0)
      : bed({.gpus = 2}) {
    bed.gpu_spec->compute.collective_sms = 20;
    bed.gpu_spec->compute.collective_memory = traffic;
    KernelShape shape;
    shape.kind = kind;
    if (kind == KernelKind::gemm) {
      // One tile a multiprocessor, 2 us and 1,000 us; its operands come in a hundredth of that.
      bed.gpu_spec->compute.gemms = {GemmSpec{
          .peak = Flops{100 * 65.536e9}, .latency = microseconds(2), .quantisation = 0, .overlap = 32}};
      shape.m = 1280, shape.n = 2560, shape.k = 1000;
    } else {
      shape.bytes = 1'000'000'000;
    }
    bed.set.shapes = {shape};
    Op host, reduce = collective(CollectiveType::all_reduce, bed.group("tp", 2), bytes);
    host.kind = OpKind::host;
    host.duration = microseconds(1'500);
    host.stream = reduce.stream = 1;
    Program p;
    p.role = "r";
    p.streams = {"compute", "nccl"};
    p.ops = {compute(SimTime{0}), compute(SimTime{0}), host, reduce, compute(SimTime{0})};
    bed.run_on({0, 1}, p);
    CHECK(make_program_index(p).chain == std::vector<std::uint32_t>{3, 2, 1, 1, 1});
    bed.run(save_at);
  }
  GpuBed bed;
};

}  // namespace

TEST_CASE("kernels that run as a chain have the rows of kernels that run one by one") {
  for (SimTime save_at : {time_never, microseconds(400), microseconds(1'502), microseconds(2'400)}) {
    KernelsBesideReduce brief(8 << 20, save_at);
    const SimTime begin = microseconds(1'500), end = brief.bed.end_of(1, 3);
    REQUIRE(end < microseconds(1'700));
    CHECK(brief.bed.end_of(1, 0) == microseconds(1'002));
    CHECK(brief.bed.start_of(1, 1) == microseconds(1'002));
    // 498 us are done before; beside the all-reduce four fifths of its time.
    CHECK(brief.bed.end_of(1, 1) == end + microseconds(504) - SimTime{(end - begin).count() * 4 / 5});
    CHECK(brief.bed.start_of(1, 4) == brief.bed.end_of(1, 1));
    CHECK(brief.bed.end_of(1, 4) == brief.bed.end_of(1, 1) + microseconds(1'002));

    KernelsBesideReduce lasting(600'000'000, save_at);
    REQUIRE(lasting.bed.end_of(0, 3) > microseconds(4'000));
    CHECK(lasting.bed.end_of(0, 1) == begin + microseconds(504 * 5 / 4));
    CHECK(lasting.bed.end_of(0, 4) == lasting.bed.end_of(0, 1) + nanoseconds(1'252'500));
  }
}

TEST_CASE("a kernel bound by memory slows down by the bandwidth that communication takes, not by its SMs") {
  // An all-reduce of two members receives its bytes once in each half, at the rate of NVLink.
  const std::int64_t bytes = 600'000'000, memory = 16'000'000'000'000;
  const auto end_of = [&](KernelKind kind, double traffic, SimTime save_at = time_never) {
    KernelsBesideReduce run(bytes, save_at, kind, traffic);
    return run.bed.end_of(0, 1) - microseconds(1'500);
  };
  CHECK(end_of(KernelKind::memory_bound, 0) == microseconds(504));
  CHECK(end_of(KernelKind::gemm, 2) == microseconds(504 * 5 / 4));
  const double base = 1e-12 * static_cast<double>(GpuBed({.gpus = 2}).nccl.base_simple.count());
  const double rate = 16.0 * bytes / (16.0 * bytes / 1.6e12 + base);
  const double slower = memory / (memory - 2 * rate);
  CHECK(slower > 1.2);
  CHECK(std::abs(static_cast<double>(end_of(KernelKind::memory_bound, 2).count()) - 504e6 * slower) <= 1);
  for (SimTime save_at : {microseconds(1'501), microseconds(1'900)})
    CHECK(end_of(KernelKind::memory_bound, 2, save_at) == end_of(KernelKind::memory_bound, 2));
  // No more than its lines bring, at most half of the bandwidth.
  CHECK(end_of(KernelKind::memory_bound, 100) == microseconds(1'008));
}

namespace {

/// When a kernel of 1,002 us that is bound by memory, of 16 Tbit/s, ends beside `beside`, operations of
/// streams of their own.
SimTime end_beside(const ClusterShape& shape, const std::function<std::vector<Op>(GpuBed&)>& beside) {
  GpuBed bed(shape);
  bed.gpu_spec->compute.collective_sms = 20, bed.gpu_spec->compute.point_sms = 10;
  bed.gpu_spec->compute.collective_memory = 2;
  bed.set.shapes = {moves(1'000'000'000)};
  Program p;
  p.role = "r";
  p.streams = {"compute"};
  p.ops = {compute(SimTime{0})};
  for (Op op : beside(bed)) {
    op.stream = static_cast<std::uint8_t>(p.streams.size());
    p.streams.push_back("nccl " + std::to_string(op.stream));
    p.ops.push_back(op);
  }
  std::vector<std::uint32_t> all(bed.gpus());
  std::iota(all.begin(), all.end(), 0u);
  bed.run_on(all, p);
  bed.run();
  return bed.end_of(0, 0);
}

}  // namespace

TEST_CASE("DeepEP holds multiprocessors of its own number, other collectives those of the GPU") {
  // A product of 1,002 us on 100 multiprocessors beside an exchange that outlasts it.
  const auto end = [](const char* algorithm, std::uint32_t sms) {
    GpuBed bed({.gpus = 2});
    bed.nccl.deepep_sms = sms;
    bed.gpu_spec->compute.collective_sms = 20;
    bed.gpu_spec->compute.gemms = {GemmSpec{
        .peak = Flops{100 * 65.536e9}, .latency = microseconds(2), .quantisation = 0, .overlap = 32}};
    KernelShape shape;
    shape.kind = KernelKind::gemm, shape.m = 1280, shape.n = 2560, shape.k = 1000;
    bed.set.shapes = {shape};
    Op exchange = collective(CollectiveType::all_to_all, bed.group("ep", 2), 20'000'000'000);
    exchange.algorithm = algorithm_named(algorithm);
    exchange.stream = 1;
    Program p;
    p.role = "r";
    p.streams = {"compute", "nccl"};
    p.ops = {exchange, compute(SimTime{0})};
    bed.run_on({0, 1}, p);
    bed.run();
    return bed.end_of(0, 1);
  };
  CHECK(end("deepep", 50) == microseconds(2'004));
  CHECK(end("deepep", 40) == microseconds(1'670));
  CHECK(end("deepep", 0) == microseconds(1'252) + nanoseconds(500));
  CHECK(end("pairwise", 50) == microseconds(1'252) + nanoseconds(500));
}

TEST_CASE("collectives that share a GPU's lines take no more of its memory than the lines bring") {
  const std::int64_t bytes = 600'000'000;
  const auto reduces = [&](int count) {
    return end_beside({.gpus = 2}, [&](GpuBed& bed) {
      std::vector<Op> ops;
      for (int i = 0; i < count; ++i)
        ops.push_back(collective(CollectiveType::all_reduce, bed.group("g" + std::to_string(i), 2), bytes));
      return ops;
    });
  };
  CHECK(reduces(0) == microseconds(1'002));
  CHECK(reduces(1) > microseconds(1'240));
  // Two of 1.6 Tbit/s by 2 of memory traffic would be 6.4 of 16; NVLink brings half of that.
  CHECK(reduces(2) == microseconds(1'002) * 5 / 4);
}

// Buffer S of n members: gathered, a part is read and S written, scattered the other way round, in
// S / (efficiency x NVLink); summed for all, S and S in (n + 1) / n of that.
TEST_CASE("in the NVSwitch the memory gives and takes what goes in and comes out") {
  const std::int64_t bytes = 800'000'000;
  for (const std::uint32_t n : {2u, 4u, 8u})
    for (const CollectiveType type :
         {CollectiveType::all_gather, CollectiveType::reduce_scatter, CollectiveType::all_reduce}) {
      CAPTURE(n, type);
      const SimTime end = end_beside({.gpus = n, .nvls_efficiency = 0.8}, [&](GpuBed& bed) {
        Op op = collective(type, bed.group("tp", n), bytes);
        op.algorithm = algorithm_named("nvls");
        return std::vector<Op>{op};
      });
      const double line = 0.8 * 1.6, sum = line * n / (n + 1);
      const double taken = type == CollectiveType::all_reduce ? 2 * sum : (1 + 1.0 / n) * line;
      CHECK(static_cast<double>(end.count()) == Approx(1'002e6 * 16 / (16 - taken)).epsilon(0.002));
    }
  // Over two servers of four GPUs no faster than two rails of 0.4.
  const SimTime end =
      end_beside({.servers = 2, .gpus = 4, .nics = 2, .nvls_efficiency = 0.8}, [&](GpuBed& bed) {
        Op op = collective(CollectiveType::all_reduce, bed.group("dp", 8), bytes);
        op.algorithm = algorithm_named("nvls-tree");
        return std::vector<Op>{op};
      });
  CHECK(static_cast<double>(end.count()) == Approx(1'002e6 * 16 / (16 - 2 * 0.8)).epsilon(0.002));
}

TEST_CASE("a send reads memory, a receive mostly waits") {
  const SimTime end = end_beside({.gpus = 2}, [](GpuBed& bed) {
    const GroupKindId pair = bed.group("pp", 2);
    return std::vector<Op>{point(OpKind::send, pair, 1, 600'000'000),
                           point(OpKind::recv, pair, -1, 600'000'000)};
  });
  CHECK(end == SimTime{1'113'333'334});  // 1.6 of 16 Tbit/s
}

TEST_CASE("between servers a collective brings what the rails bring") {
  // Two rails of 0.4 Tbit/s pass every member by turns; pairs of one rail its own alone.
  const std::int64_t bytes = 600'000'000;
  const auto gather = [&](std::uint32_t count, std::uint32_t stride) {
    return end_beside({.servers = 2, .gpus = 2, .nics = 2}, [&](GpuBed& bed) {
      return std::vector<Op>{collective(CollectiveType::all_gather, bed.group("dp", count, stride), bytes)};
    });
  };
  const auto slower = [&](double taken) { return 1'002e6 * 16 / (16 - taken); };
  CHECK(static_cast<double>(gather(4, 1).count()) == Approx(slower(2 * 0.8)).epsilon(0.005));
  CHECK(static_cast<double>(gather(2, 2).count()) == Approx(slower(2 * 0.4)).epsilon(0.005));
}

TEST_CASE("a kernel that ends as communication begins ends then, whichever comes first in the program") {
  for (bool is_host_first : {true, false}) {
    GpuBed bed({.gpus = 2});
    bed.gpu_spec->compute.collective_memory = 2;
    bed.set.shapes = {moves(1'000'000'000)};
    Op host, reduce = collective(CollectiveType::all_reduce, bed.group("tp", 2), 1 << 20);
    host.kind = OpKind::host;
    host.duration = microseconds(1'002);
    Program p;
    p.role = "r";
    p.streams = {"a", "b"};
    Op work = compute(SimTime{0}, is_host_first ? 1 : 0);
    host.stream = reduce.stream = is_host_first ? 0 : 1;
    p.ops = is_host_first ? std::vector<Op>{host, reduce, work} : std::vector<Op>{work, host, reduce};
    bed.run_on({0, 1}, p);
    bed.run();
    CHECK(bed.end_of(0, is_host_first ? 2 : 0) == microseconds(1'002));
  }
}

TEST_CASE("a kernel that another stream waits for ends by itself") {
  GpuBed bed({.gpus = 1});
  KernelShape shape;
  shape.kind = KernelKind::memory_bound;
  shape.bytes = 1'000'000;  // 3 us
  bed.set.shapes = {shape};
  Program p;
  p.role = "r";
  p.streams = {"a", "b"};
  p.dependencies = {1, 3};
  p.ops = {compute(SimTime{0}), compute(SimTime{0}), compute(SimTime{0}),
           after(compute(microseconds(1), 1), 0, 1), after(compute(SimTime{0}), 1, 1)};
  bed.run_on({0}, p);
  CHECK(make_program_index(p).chain == std::vector<std::uint32_t>{2, 1, 1, 1, 1});
  bed.run();
  CHECK(bed.start_of(0, 3) == microseconds(6));
  CHECK(bed.start_of(0, 4) == microseconds(9));
}

TEST_CASE("power is drawn by what a GPU does") {
  // 2 us of a kernel from a trace, then a chain: 1,002 us bound by memory and 1,002 us not; then 30 us of
  // host time and an all-reduce alone. Also where the run is saved in the middle of the chain.
  for (SimTime save_at : {time_never, microseconds(500), microseconds(1'500), microseconds(3'000)}) {
    GpuBed bed({.gpus = 2});
    bed.gpu_spec->power = Watts{700}, bed.gpu_spec->memory_power = Watts{400};
    bed.gpu_spec->communication_power = Watts{200}, bed.gpu_spec->idle_power = Watts{100};
    bed.gpu_spec->compute.gemms = {GemmSpec{
        .peak = Flops{100 * 65.536e9}, .latency = microseconds(2), .quantisation = 0, .overlap = 32}};
    KernelShape gemm;
    gemm.m = 1280, gemm.n = 2560, gemm.k = 1000;
    bed.set.shapes = {moves(1'000'000'000), gemm};
    Op product = compute(SimTime{0}), host;
    product.shape = 1;
    host.kind = OpKind::host;
    host.duration = microseconds(30);
    bed.run_all({compute(microseconds(2)), compute(SimTime{0}), product, host,
                 collective(CollectiveType::all_reduce, bed.group("tp", 2), 600'000'000)});
    bed.run(save_at);
    for (std::uint32_t gpu = 0; gpu < 2; ++gpu) {
      REQUIRE(bed.end_of(gpu, 3) == microseconds(2'036));
      const SimTime alone = bed.end_of(gpu, 4) - bed.end_of(gpu, 3);
      REQUIRE(alone > microseconds(2'000));
      const Row row = bed.bed.rows(tables::power).at(gpu);
      CHECK(row.values[0] == (microseconds(2'006) + alone).count());
      CHECK(std::bit_cast<double>(row.values[1]) ==
            Approx(700 * 1004e6 + 400 * 1002e6 + 100 * 30e6 + 200 * static_cast<double>(alone.count()))
                .epsilon(1e-12));
    }
  }
}

TEST_CASE("power is drawn at the busy rate while something runs, else at the idle rate") {
  GpuBed bed({.gpus = 1});
  bed.gpu_spec->power = Watts{700};
  bed.gpu_spec->idle_power = Watts{100};
  Op host;
  host.kind = OpKind::host;
  host.duration = microseconds(30);
  bed.run_all({compute(microseconds(10)), host});
  bed.run();
  for (const Row& row : bed.bed.rows(tables::power)) {
    CHECK(row.values[0] == microseconds(10).count());
    // 700 W x 10 us + 100 W x 30 us = 10 mJ
    CHECK(std::bit_cast<double>(row.values[1]) == Approx(1e10));
  }
  CHECK(bed.bed.rows(tables::power).size() == 1);
}

TEST_CASE("of kernels side by side the one that is not bound by memory sets the power") {
  GpuBed bed({.gpus = 1});
  bed.gpu_spec->power = Watts{700}, bed.gpu_spec->memory_power = Watts{400};
  bed.set.shapes = {moves(1'000'000'000)};
  Program p;
  p.role = "r";
  p.streams = {"a", "b"};
  p.ops = {compute(SimTime{0}), compute(SimTime{0}), compute(microseconds(500), 1)};
  bed.run_on({0}, p);
  bed.run();
  const Row row = bed.bed.rows(tables::power).at(0);
  CHECK(row.values[0] == microseconds(2'004).count());
  CHECK(std::bit_cast<double>(row.values[1]) == Approx(700 * 500e6 + 400 * 1'504e6));
}

}  // namespace lightrail::test
