#include "workloads/collective/exchange_share.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "workloads/collective/ring.hpp"

namespace lightrail {

std::int64_t exchange_share(const ProgramSet& set, const Op& op, std::uint32_t from, std::uint32_t to,
                            std::uint32_t size) {
  if (op.split == 0) return part_bytes(op.bytes, op.element_bytes, size, to);
  const SplitMatrix& split = set.splits[op.split];
  if (!split.bytes.empty()) return split.bytes[std::size_t{from} * size + to];
  const std::int64_t unit = op.element_bytes != 0 && op.bytes % op.element_bytes == 0 ? op.element_bytes : 1;
  const std::int64_t units = op.bytes / unit;
  // Cut at the rounded running sums, the last one at the end: the shares of a row add up exactly.
  const double* shares = &split.share[std::size_t{from} * size];
  const double before = std::accumulate(shares, shares + to, 0.0);
  const auto cut = [units](double sum) {
    return std::min<std::int64_t>(units, std::llround(sum * static_cast<double>(units)));
  };
  return ((to + 1 == size ? units : cut(before + shares[to])) - cut(before)) * unit;
}

}  // namespace lightrail
