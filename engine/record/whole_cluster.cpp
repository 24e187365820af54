#include "engine/record/whole_cluster.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace lightrail {
namespace {

using boost::math::complement;
using Normal = boost::math::normal;

/// How likely the largest of `count` standard normal values is above `z`.
double exceeds(double z, double count) {
  return -std::expm1(count * std::log1p(-boost::math::cdf(complement(Normal(), z))));
}

/// By how much the largest of `count` values is above `z` on average, where it is at all.
double mean_excess(double z, double count) {
  return boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
      [count](double at) { return exceeds(at, count); }, z, std::numeric_limits<double>::infinity());
}

/// The largest of `count` values is below this in so many of all cases.
double quantile_of_largest(double cases, double count) {
  return boost::math::quantile(complement(Normal(), -std::expm1(std::log(cases) / count)));
}

/// How far each GPU's time is from the mean of those with the same work, relative to it.
struct Deviations {
  double sum_of_squares = 0, mean_ps = 0;
  double largest = 0;  ///< as if from the mean of all that there might be
  std::int64_t gpus = 0, works = 0;

  [[nodiscard]] double standard() const {
    return gpus > works ? std::sqrt(sum_of_squares / static_cast<double>(gpus - works)) : 0;
  }
};

Deviations deviations_of(std::span<const std::int64_t> compute_ps,
                         const std::vector<std::uint32_t>& work_of) {
  std::vector<double> sums, counts;
  for (std::size_t gpu = 0; gpu < compute_ps.size(); ++gpu) {
    const std::size_t work = work_of[gpu];
    if (work >= sums.size()) sums.resize(work + 1), counts.resize(work + 1);
    sums[work] += static_cast<double>(compute_ps[gpu]), counts[work] += 1;
  }
  Deviations all;
  double total = 0;
  for (std::size_t work = 0; work < sums.size(); ++work) all.works += counts[work] > 0 ? 1 : 0;
  for (std::size_t gpu = 0; gpu < compute_ps.size(); ++gpu) {
    const std::size_t work = work_of[gpu];
    const double mean = sums[work] / counts[work];
    if (!(mean > 0)) return {};
    const double from_mean = static_cast<double>(compute_ps[gpu]) / mean - 1;
    all.sum_of_squares += from_mean * from_mean;
    // The mean of a few has its own share of each of them.
    if (counts[work] > 1) all.largest = std::max(all.largest, from_mean / std::sqrt(1 - 1 / counts[work]));
    total += static_cast<double>(compute_ps[gpu]);
  }
  all.gpus = static_cast<std::int64_t>(compute_ps.size());
  all.mean_ps = all.gpus > 0 ? total / static_cast<double>(all.gpus) : 0;
  return all;
}

}  // namespace

std::optional<WholeClusterEstimate> estimate_whole(std::int64_t step_ps,
                                                   std::span<const std::int64_t> compute_ps,
                                                   const ReplicaSample& sample) {
  if (sample.stands_for < 2 || !sample.is_drawn || compute_ps.size() != sample.work_of_gpu.size())
    return std::nullopt;
  const Deviations here = deviations_of(compute_ps, sample.work_of_gpu);
  const double deviation = here.standard();
  if (!(deviation > 0)) return std::nullopt;
  const double left_out = static_cast<double>(here.gpus) * (sample.stands_for - 1);
  const double slowest = here.largest / deviation, scale_ps = deviation * here.mean_ps;
  const auto longer = [&](double by) { return step_ps + std::llround(scale_ps * std::max(by, 0.0)); };
  return WholeClusterEstimate{.step_ps = longer(mean_excess(slowest, left_out)),
                              .low_ps = longer(quantile_of_largest(0.05, left_out) - slowest),
                              .high_ps = longer(quantile_of_largest(0.95, left_out) - slowest),
                              .deviation = deviation,
                              .gpus = here.gpus * sample.stands_for,
                              .simulated = here.gpus};
}

std::int64_t replicas_apart(std::span<const std::int64_t> exposed_ps, const ReplicaSample& sample) {
  struct Range {
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
  };
  std::vector<Range> of_work;
  for (std::size_t gpu = 0; gpu < exposed_ps.size(); ++gpu) {
    const std::size_t work = sample.work_of_gpu.at(gpu);
    if (work >= of_work.size()) of_work.resize(work + 1);
    Range& range = of_work[work];
    range.least = std::min(range.least, exposed_ps[gpu]), range.most = std::max(range.most, exposed_ps[gpu]);
  }
  std::int64_t apart = 0;
  for (const Range& range : of_work) apart = std::max(apart, range.most - range.least);
  return apart;
}

}  // namespace lightrail
