#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lightrail {

/// How sizes lie between two points of a distribution: each as likely as the others, or their logarithms are.
enum class SizeSpread : std::uint8_t { even, logarithmic };

/// Sizes of flows, by points of their cumulative distribution.
class SizeDistribution {
 public:
  struct Point {
    std::int64_t bytes = 0;
    double share = 0;                      ///< of flows that are no larger, 0 ... 1
    SizeSpread spread = SizeSpread::even;  ///< between the point before and this one
  };
  /// "" or why these are none: sizes and shares rise, from any share at the first point to 1 at the last.
  /// Flows of the first point's share have its size.
  [[nodiscard]] static std::string problem_of(const std::vector<Point>& points);

  /// `points`: without a problem.
  explicit SizeDistribution(std::vector<Point> points);
  /// The size that `share` (0 ... 1) of all flows do not exceed, rounded down, 1 at least [B].
  [[nodiscard]] std::int64_t size_at(double share) const;
  /// Of the distribution before sizes are whole bytes [B].
  [[nodiscard]] double mean_bytes() const;

 private:
  std::vector<Point> points_;
};

/// Reads lines of a size in bytes and the percentage of flows that are no larger ("10000 15"), the form of
/// HPCC's traffic generator and others; empty lines and what is behind '#' are passed over. Throws
/// InputErrors with the line.
[[nodiscard]] std::vector<SizeDistribution::Point> read_size_file(const std::string& path);

}  // namespace lightrail
