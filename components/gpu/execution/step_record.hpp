#pragma once
#include <cstdint>
#include <vector>

#include "components/gpu/execution/exposed_time.hpp"
#include "components/gpu/execution/step_clock.hpp"
#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"

namespace lightrail {

/// An iteration of a GPU, as the tables steps and exposed have it.
struct StepRecord {
  SimTime start{}, end{};
  StepClock::Totals split;
  std::vector<ExposedTime::Part> uses;  ///< empty where they are not recorded
  SimTime simulated_start{};            ///< start less what was stepped over before
  std::int64_t attempt = 0;             ///< of its job

  [[nodiscard]] SimTime time() const { return end - start; }

  void save(StateWriter& out) const {
    out.put(start), out.put(end), out.put(split), out.put(uses), out.put(simulated_start), out.put(attempt);
  }
  void load(StateReader& in) {
    in.get(start), in.get(end), in.get(split), in.get(uses), in.get(simulated_start), in.get(attempt);
  }
};

/// The part of that key, which is made where there is none. `parts`: in the order of keys.
SimTime& time_of(std::vector<ExposedTime::Part>& parts, const ExposedTime::Key& key);
/// The largest difference of a part, and of those that only one has.
[[nodiscard]] SimTime largest_difference(const std::vector<ExposedTime::Part>& a,
                                         const std::vector<ExposedTime::Part>& b);
[[nodiscard]] SimTime largest_difference(const StepClock::Totals& a, const StepClock::Totals& b);

}  // namespace lightrail
