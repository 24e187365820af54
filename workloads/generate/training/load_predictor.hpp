#pragma once
#include <cstdint>
#include <deque>
#include <vector>

namespace lightrail {

/// Guesses where a layer's tokens go from where they went in the layer before (MixNet-Copilot): probabilities
/// P(expert of this layer | expert of the layer before), learned from the last micro-batches.
///
/// One for each pair of layers. A micro-batch shows one row of shares for each sender in the layer before (x)
/// and in this one (y); P is the column-stochastic matrix of largest likelihood of the rows y given P x over
/// the last `window` micro-batches (expectation maximisation from the P before). Assumes all senders' tokens
/// change experts alike.
class LoadPredictor {
 public:
  static constexpr std::size_t window = 8;
  static constexpr int rounds = 40;  ///< of expectation maximisation for each micro-batch

  /// Shares of senders x receivers, as split matrices have them.
  void learn(std::uint32_t members, const std::vector<double>& before, const std::vector<double>& now);
  [[nodiscard]] bool has_learned() const { return !seen_.empty(); }
  [[nodiscard]] std::vector<double> guess(const std::vector<double>& before) const;

 private:
  struct Seen {
    std::vector<double> before, now;
  };
  void improve_all();

  std::uint32_t members_ = 0;
  std::deque<Seen> seen_;            ///< the newest last
  std::vector<double> probability_;  ///< [from * members + to]
};

/// Half the sum of what the rows of two matrices differ by, mean over rows: 0 alike, 1 nothing in common.
[[nodiscard]] double distance(std::uint32_t members, const std::vector<double>& a,
                              const std::vector<double>& b);

}  // namespace lightrail
