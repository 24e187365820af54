#include "workloads/generate/flows/size_distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <span>
#include <sstream>
#include <utility>

#include "engine/base/error.hpp"

namespace lightrail {

namespace {

/// Of the last point, beside the one before it.
std::string problem_of_rise(std::span<const SizeDistribution::Point> points) {
  const SizeDistribution::Point& own = points.back();
  if (own.share < 0 || own.share > 1)
    return fmt::format("the share of {} B is not between 0 and 1", own.bytes);
  if (points.size() == 1) return "";
  const SizeDistribution::Point& before = points[points.size() - 2];
  if (own.bytes <= before.bytes)
    return fmt::format("{} B come behind {} B: sizes do not rise", own.bytes, before.bytes);
  if (own.share <= before.share)
    return fmt::format("the share of {} B is no more than that of {} B", own.bytes, before.bytes);
  if (own.spread == SizeSpread::logarithmic && before.bytes == 0)
    return fmt::format("sizes up to {} B begin at 0 B, which has no logarithm", own.bytes);
  return "";
}

}  // namespace

std::string SizeDistribution::problem_of(const std::vector<Point>& points) {
  if (points.empty()) return "there are no sizes";
  for (std::size_t i = 1; i <= points.size(); ++i)
    if (std::string problem = problem_of_rise(std::span(points).first(i)); !problem.empty()) return problem;
  if (points.back().share != 1)
    return fmt::format("the largest size, {} B, is that of {:g} % of all flows, not of all",
                       points.back().bytes, 100 * points.back().share);
  return "";
}

SizeDistribution::SizeDistribution(std::vector<Point> points) : points_(std::move(points)) {
  LIGHTRAIL_EXPECT(problem_of(points_).empty());
}

std::int64_t SizeDistribution::size_at(double share) const {
  const auto at =
      std::find_if(points_.begin(), points_.end(), [&](const Point& p) { return share <= p.share; });
  const Point& upper = at == points_.end() ? points_.back() : *at;
  if (at == points_.begin() || at == points_.end()) return std::max<std::int64_t>(upper.bytes, 1);
  const Point& lower = *(at - 1);
  const double part = (share - lower.share) / (upper.share - lower.share);
  const auto from = static_cast<double>(lower.bytes), to = static_cast<double>(upper.bytes);
  const double size =
      upper.spread == SizeSpread::even ? from + part * (to - from) : from * std::pow(to / from, part);
  return std::clamp(static_cast<std::int64_t>(size), std::max<std::int64_t>(lower.bytes, 1), upper.bytes);
}

double SizeDistribution::mean_bytes() const {
  double mean = static_cast<double>(points_[0].bytes) * points_[0].share;
  for (std::size_t i = 1; i < points_.size(); ++i) {
    const auto from = static_cast<double>(points_[i - 1].bytes), to = static_cast<double>(points_[i].bytes);
    const double middle =
        points_[i].spread == SizeSpread::even ? (from + to) / 2 : (to - from) / std::log(to / from);
    mean += middle * (points_[i].share - points_[i - 1].share);
  }
  return mean;
}

std::vector<SizeDistribution::Point> read_size_file(const std::string& path) {
  std::ifstream file(path);
  int number = 0;
  const auto fail = [&](const std::string& what) { throw InputErrors(InputError{path, number, what}); };
  if (!file) fail("cannot open the file of sizes");
  std::vector<SizeDistribution::Point> points;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::istringstream text(line.substr(0, line.find('#')));
    double bytes = 0, percent = 0;
    std::string rest;
    if ((text >> std::ws).eof()) continue;
    if (!(text >> bytes >> percent) || text >> rest || bytes < 0 || bytes > 1e15 ||
        bytes != std::floor(bytes))
      fail(fmt::format("'{}' is no size in bytes and percentage of flows (10000 15)", line));
    points.push_back({static_cast<std::int64_t>(bytes), percent / 100});
    if (const std::string problem = problem_of_rise(points); !problem.empty()) fail(problem);
  }
  if (const std::string problem = SizeDistribution::problem_of(points); !problem.empty()) fail(problem);
  return points;
}

}  // namespace lightrail
