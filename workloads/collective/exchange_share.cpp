#include "workloads/collective/exchange_share.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "workloads/collective/ring.hpp"

namespace lightrail {

namespace {

/// A row of a split matrix of shares is cut at its rounded running sums, the last one at the end, so that the
/// parts add up exactly.
struct Cuts {
  std::int64_t unit, units;  ///< [B]; all of it

  explicit Cuts(const Op& op)
      : unit(op.element_bytes != 0 && op.bytes % op.element_bytes == 0 ? op.element_bytes : 1),
        units(op.bytes / unit) {}
  [[nodiscard]] std::int64_t at(double sum) const {
    return std::min<std::int64_t>(units, std::llround(sum * static_cast<double>(units)));
  }
};

}  // namespace

std::int64_t exchange_share(const ProgramSet& set, const Op& op, std::uint32_t from, std::uint32_t to,
                            std::uint32_t size) {
  if (op.split == 0) return part_bytes(op.bytes, op.element_bytes, size, to);
  const SplitMatrix& split = set.splits[op.split];
  if (!split.bytes.empty()) return split.bytes[std::size_t{from} * size + to];
  const Cuts cuts(op);
  const double* shares = &split.share[std::size_t{from} * size];
  const double before = std::accumulate(shares, shares + to, 0.0);
  return ((to + 1 == size ? cuts.units : cuts.at(before + shares[to])) - cuts.at(before)) * cuts.unit;
}

std::vector<std::int64_t> exchange_row(const ProgramSet& set, const Op& op, std::uint32_t from,
                                       std::uint32_t size) {
  std::vector<std::int64_t> row(size);
  const bool is_split = op.split != 0 && set.splits[op.split].bytes.empty();
  const Cuts cuts(op);
  std::int64_t before = cuts.at(0);
  double sum = 0;
  for (std::uint32_t to = 0; to < size; ++to) {
    if (!is_split) {
      row[to] = exchange_share(set, op, from, to, size);
      continue;
    }
    sum += set.splits[op.split].share[std::size_t{from} * size + to];
    const std::int64_t end = to + 1 == size ? cuts.units : cuts.at(sum);
    row[to] = (end - before) * cuts.unit;
    before = end;
  }
  return row;
}

}  // namespace lightrail
