#pragma once
#include <cstdint>
#include <optional>

#include "engine/base/random.hpp"
#include "engine/model/kind.hpp"
#include "network/health/light_losses.hpp"

namespace lightrail {

/// Probability that FEC fails in some codeword of a train, given that of one codeword.
[[nodiscard]] double train_failure(double codeword_failure, std::uint32_t codeword_bytes,
                                   std::uint32_t train_bytes);

/// What a line of light does to trains: codewords that FEC cannot correct, which the link sends again, and
/// losses of light (LightLosses) during which nothing goes. Trains stay in order: those behind wait. Seeded
/// by component and port.
class LineErrors {
 public:
  /// Throws InputErrors when more than nine of ten trains of `train_bytes` would fail.
  LineErrors(const BuildContext& build, std::uint32_t port, const LinkLight& light,
             std::uint32_t train_bytes);

  /// True when such a line never errs: no LineErrors needed.
  [[nodiscard]] static bool is_clean(const LinkLight& light);
  /// When a train that could start at `start` and takes `busy` starts for the last time.
  SimTime last_start(SimTime start, SimTime busy, std::uint32_t bytes);

  [[nodiscard]] std::int64_t replays() const { return replays_; }
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  LinkLight light_;
  Random errors_;
  std::optional<LightLosses> losses_;
  std::int64_t replays_ = 0;
};

}  // namespace lightrail
