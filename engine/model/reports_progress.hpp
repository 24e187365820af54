#pragma once
#include <optional>

namespace lightrail {

/// What a component is beside, when it can say how far it is.
class ReportsProgress {
 public:
  virtual ~ReportsProgress() = default;
  /// How much of what it has to do is done (0 ... 1), for the progress line alone; none: it cannot say.
  [[nodiscard]] virtual std::optional<double> done_share() const = 0;
};

}  // namespace lightrail
