#include "components/gpu/compute/compute_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace lightrail {
namespace {

double seconds(SimTime time) {
  return static_cast<double>(time.count()) * 1e-12;
}
double bytes_per_second(BitRate rate) {
  return static_cast<double>(rate.value) / 8;
}

/// Whole nanoseconds: what the measurements resolve, and coarse enough to hide the last bits of libm.
SimTime to_time(double s) {
  return nanoseconds(std::max<std::int64_t>(1, std::llround(std::min(s, seconds(longest_kernel)) * 1e9)));
}

double p_norm(double a, double b, double p) {
  double large = std::max(a, b), small = std::min(a, b);
  return large <= 0 ? 0 : large * std::pow(1 + std::pow(small / large, p), 1 / p);
}

struct Cost {
  double seconds;
  Bound bound;
};
Cost joined(double compute, double memory, double p) {
  return {p_norm(compute, memory, p), memory > compute ? Bound::memory : Bound::compute};
}

struct Tile {
  double m, n, efficiency;
};

const GemmSpec* find_gemm(const ComputeSpec& spec, DataType dtype, Scaling scaling = Scaling::tensorwise) {
  // fp16 tensor cores run at the rate of bf16 on every GPU of the catalogue.
  if (dtype == DataType::fp16) dtype = DataType::bf16;
  for (const GemmSpec& g : spec.gemms)
    if (g.dtype == dtype && g.scaling == scaling) return &g;
  return nullptr;
}

Cost gemm_cost(const ComputeSpec& spec, const GemmSpec& gemm, const KernelShape& shape, double speed,
               double latency) {
  const auto batch = static_cast<double>(shape.batch), m = static_cast<double>(shape.m),
             n = static_cast<double>(shape.n), k = static_cast<double>(shape.k);
  const std::array<Tile, 4> tiles{{{64, 64, gemm.tile_64x64},
                                   {64, 128, gemm.tile_64x128},
                                   {128, 128, gemm.tile_128x128},
                                   {128, 256, 1.0}}};
  const double bandwidth = bytes_per_second(spec.memory_bandwidth) * gemm.memory_efficiency;
  const double per_sm = speed * gemm.peak.value / spec.sms * gemm.efficiency;
  const double element = element_bytes(gemm.dtype), output = 2;
  Cost best{std::numeric_limits<double>::infinity(), Bound::compute};
  for (const Tile& tile : tiles) {
    for (double split : {1.0, 2.0, 4.0, 8.0}) {
      double per_sm_tiles = batch * std::ceil(m / tile.m) * std::ceil(n / tile.n) * split / spec.sms;
      double waves =
          (1 - gemm.quantisation) * std::max(per_sm_tiles, 1.0) + gemm.quantisation * std::ceil(per_sm_tiles);
      double compute = waves * 2 * tile.m * tile.n * (k / split + gemm.prologue) / (per_sm * tile.efficiency);
      double partial_sums = split > 1 ? m * n * split * 8 : 0;
      double bytes = batch * ((m * k + k * n) * element + m * n * output + partial_sums);
      const Cost cost = joined(compute, bytes / bandwidth, gemm.overlap);
      if (cost.seconds < best.seconds) best = cost;
    }
  }
  return {latency * seconds(gemm.latency) + best.seconds, best.bound};
}

/// Elements of a query and of a value, on average: half of what scores and sums over keys multiply.
double mean_head(const KernelShape& shape) {
  return static_cast<double>(shape.head_dim + (shape.k > 0 ? shape.k : shape.head_dim)) / 2;
}

/// The same of a backward pass: scores again, gradients of queries and keys; of scores and values.
double mean_backward_head(const KernelShape& shape) {
  return static_cast<double>(3 * shape.head_dim + 2 * (shape.k > 0 ? shape.k : shape.head_dim)) / 5;
}

Cost prefill_cost(const ComputeSpec& spec, const AttentionSpec& attention, const GemmSpec& gemm,
                  const KernelShape& shape, double speed) {
  constexpr double query_tile = 128;
  const auto batch = static_cast<double>(shape.batch), queries = static_cast<double>(shape.m),
             keys = static_cast<double>(shape.n), heads = static_cast<double>(shape.heads),
             kv_heads = static_cast<double>(shape.kv_heads), head_dim = mean_head(shape);
  // A causal tile sees half of the square that ends the sequence, and all that is before it.
  const double mean_keys = shape.causal ? keys - queries / 2 : keys;
  const bool has_own = shape.backward && attention.backward_efficiency > 0;
  const double efficiency = has_own ? attention.backward_efficiency : attention.efficiency;
  const double per_sm = speed * gemm.peak.value / spec.sms * efficiency;
  const double work = shape.backward ? attention.backward_work : 1;
  const double per_key = 4 * query_tile * (shape.backward ? mean_backward_head(shape) : head_dim) * work;
  const double waves = std::max(batch * heads * std::ceil(queries / query_tile) / spec.sms, 1.0);
  const double compute =
      std::max(waves * per_key * (mean_keys + attention.prologue), per_key * (keys + attention.prologue)) /
      per_sm;
  const double bytes =
      batch * (queries * 2 * heads + keys * 2 * kv_heads) * head_dim * element_bytes(shape.dtype) * work;
  const double memory = bytes / (bytes_per_second(spec.memory_bandwidth) * attention.memory_efficiency);
  const Cost cost = joined(compute, memory, attention.overlap);
  return {seconds(attention.latency) + cost.seconds, cost.bound};
}

Cost decode_cost(const ComputeSpec& spec, const AttentionSpec& attention, const GemmSpec& gemm,
                 const KernelShape& shape, double speed) {
  const auto batch = static_cast<double>(shape.batch), keys = static_cast<double>(shape.n),
             heads = static_cast<double>(shape.heads), kv_heads = static_cast<double>(shape.kv_heads),
             head_dim = mean_head(shape), element = element_bytes(shape.dtype);
  const double cached =
      shape.bytes > 0 ? static_cast<double>(shape.bytes) : 2 * kv_heads * head_dim * element;
  const double bytes = batch * (cached * keys + 2 * heads * head_dim * element);
  const double memory =
      bytes / (bytes_per_second(spec.memory_bandwidth) * attention.decode_memory_efficiency);
  // Where many heads read the same keys (a latent, absorbed) products take longer than what hides behind
  // them.
  const double products =
      4 * batch * heads * keys * head_dim / (speed * gemm.peak.value * attention.efficiency);
  // One block a sequence and key-value head. Where SMs would stay idle, a head's keys are split and a second
  // pass combines the parts.
  const double blocks = batch * kv_heads;
  const bool is_split = keys > 256 && blocks < spec.sms;
  const double unit =
      seconds(attention.decode_unit) + (heads > kv_heads ? seconds(attention.decode_group_unit) : 0);
  Cost cost = joined(std::max(blocks / spec.sms, 1.0) * unit, memory, attention.decode_overlap);
  if (products > cost.seconds) cost = {products, Bound::compute};
  cost.seconds += seconds(attention.decode_latency) + (is_split ? seconds(attention.decode_combine) : 0);
  return cost;
}

}  // namespace

std::string missing_for(const ComputeSpec& spec, const KernelShape& shape) {
  switch (shape.kind) {
    case KernelKind::gemm:
      if (find_gemm(spec, shape.dtype, shape.scaling)) return "";
      return std::string(R"(no <gemm dtype=")") + to_string(shape.dtype) +
             (shape.scaling == Scaling::rowwise ? R"(" scaling="rowwise">)" : R"(">)");
    case KernelKind::attention:
      if (!spec.attention) return "no <attention>";
      return find_gemm(spec, DataType::bf16) ? "" : "no <gemm dtype=\"bf16\">";
    case KernelKind::memory_bound:
      return spec.memory_kernel ? "" : "no <memory-kernel>";
  }
  return "an unknown kernel kind";
}

KernelCost kernel_cost(const ComputeSpec& spec, const KernelShape& shape, Load load) {
  LIGHTRAIL_EXPECT(missing_for(spec, shape).empty());
  auto speed = [&](const GemmSpec& gemm) { return load == Load::lasting ? gemm.sustained : 1.0; };
  const auto rounded = [](const Cost& cost) { return KernelCost{to_time(cost.seconds), cost.bound}; };
  switch (shape.kind) {
    case KernelKind::gemm: {
      const GemmSpec& gemm = *find_gemm(spec, shape.dtype, shape.scaling);
      double cast = 0;
      if (gemm.casts && load == Load::isolated)
        cast = 3.0 * static_cast<double>(shape.batch) * static_cast<double>(shape.m) *
               static_cast<double>(shape.k) /
               (bytes_per_second(spec.memory_bandwidth) * gemm.memory_efficiency);
      // The smallest FP8 time is that of two kernels, cast and product.
      const double latency = gemm.casts && load == Load::lasting ? 0.5 : 1.0;
      Cost cost = gemm_cost(spec, gemm, shape, speed(gemm), latency);
      cost.seconds += cast;
      return rounded(cost);
    }
    case KernelKind::attention: {
      const GemmSpec& gemm = *find_gemm(spec, DataType::bf16);
      return rounded(shape.m == 1 ? decode_cost(spec, *spec.attention, gemm, shape, speed(gemm))
                                  : prefill_cost(spec, *spec.attention, gemm, shape, speed(gemm)));
    }
    case KernelKind::memory_bound:
      break;
  }
  const double bandwidth = bytes_per_second(spec.memory_bandwidth) * spec.memory_kernel->efficiency;
  const auto kernels = static_cast<double>(std::max<std::int64_t>(1, shape.batch));
  return rounded(
      {kernels * seconds(spec.memory_kernel->latency) + static_cast<double>(shape.bytes) / bandwidth,
       Bound::memory});
}

}  // namespace lightrail
