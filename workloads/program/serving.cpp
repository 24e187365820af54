#include "workloads/program/serving.hpp"

#include <algorithm>

namespace lightrail {
namespace {

std::int64_t ceil_div(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

}  // namespace

std::int64_t units_of(BatchUnit unit, const ServingProgram& program, const BatchSizes& batch) {
  const std::int64_t tokens = batch.tokens(), slices = ceil_div(tokens, program.tp);
  switch (unit) {
    case BatchUnit::fixed:
      return 1;
    case BatchUnit::tokens:
      return tokens;
    case BatchUnit::slices:
      return slices;
    case BatchUnit::rows:
      return (program.has_sliced_rows ? slices : tokens) * program.active_experts;
    case BatchUnit::logits:
      return batch.logits;
    case BatchUnit::prefill:
      return batch.prefill_tokens;
    case BatchUnit::decode:
      return batch.decode_sequences;
  }
  return 0;
}

KernelShape sized(const KernelShape& shape, BatchUnit unit, const ServingProgram& program,
                  const BatchSizes& batch) {
  const std::int64_t units = units_of(unit, program, batch);
  KernelShape kernel = shape;
  if (unit == BatchUnit::fixed) return kernel;
  switch (shape.kind) {
    case KernelKind::attention:
      if (unit == BatchUnit::prefill) {
        kernel.m = units;
        kernel.causal = batch.prefill_sequences == 1;
        kernel.n = (batch.twice_prefill_keys + (kernel.causal ? units : 0) + 1) / 2;
      } else {
        kernel.m = units > 0 ? 1 : 0;
        kernel.n = batch.decode_keys;
        kernel.batch = units;
      }
      break;
    case KernelKind::memory_bound:
      kernel.bytes = shape.bytes * units;
      break;
    case KernelKind::gemm:
      if (unit == BatchUnit::rows) kernel.batch = std::min(shape.batch, std::max<std::int64_t>(1, units));
      kernel.m = unit == BatchUnit::rows ? ceil_div(units, kernel.batch) : units;
      break;
  }
  return kernel;
}

std::vector<KvRoute> kv_routes(const ServingPlan& plan, const ServingPool& from, std::uint32_t from_replica,
                               const ServingPool& to, std::uint32_t to_replica, std::uint32_t request) {
  const auto gpu = [&](const ServingPool& pool, std::uint32_t replica, std::uint32_t tp,
                       std::uint32_t stage) {
    return EndpointId{pool.first_gpu + replica * pool.replica_gpus() + tp +
                      pool.tp * (request % pool.dp + pool.dp * stage)};
  };
  const std::int64_t there = plan.layers / to.pp, here = plan.layers / from.pp;
  const std::uint32_t heads = kv_heads_of_gpu(plan, to);
  // Senders that a receiver's heads come from: several where it keeps more heads than one of them.
  const std::uint32_t merged = from.tp > to.tp ? from.tp / to.tp : 1;
  const std::uint32_t senders = std::clamp(heads / kv_heads_of_gpu(plan, from), 1u, merged);
  std::vector<KvRoute> routes;
  for (std::uint32_t stage = 0; stage < to.pp; ++stage)
    for (std::uint32_t t = 0; t < to.tp; ++t)
      for (std::uint32_t source = 0; source < from.pp; ++source) {
        const std::int64_t low = std::max(stage * there, source * here),
                           high = std::min((stage + 1) * there, (source + 1) * here);
        if (low >= high) continue;
        for (std::uint32_t s = 0; s < senders; ++s) {
          const std::uint32_t sender =
              from.tp > to.tp ? t * merged + s * (merged / senders) : t / (to.tp / from.tp);
          routes.push_back({gpu(from, from_replica, sender, source), gpu(to, to_replica, t, stage),
                            (high - low) * heads * plan.kv_head_bytes / senders});
        }
      }
  return routes;
}

}  // namespace lightrail
