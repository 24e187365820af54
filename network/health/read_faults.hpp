#pragma once
#include <string>

#include "engine/model/describe.hpp"
#include "engine/model/model.hpp"
#include "network/health/drawn_outages.hpp"
#include "network/health/health_table.hpp"

namespace lightrail {

/// <faults>: how late a change is known.
struct FaultsSpec {
  SimTime detection = milliseconds(200);
  SimTime reconvergence = milliseconds(10'000);
  SimTime collective_timeout = milliseconds(600'000);
};

/// <fault>: one outage.
struct FaultSpec {
  SimTime at{};
  SimTime length = time_never;
  std::string what;
};

/// <throttle>: GPUs that are slow for a while.
struct ThrottleSpec {
  SimTime at{};
  SimTime length = time_never;
  double speed = 1;
  std::string what;
};

/// <rate>: failures that are drawn (FaultRate).
struct RateSpec {
  std::string what;
  double mtbf_hours = 0;
  SimTime repair = time_never;
  SimTime until = FaultRate{}.until;
};

[[nodiscard]] Describe<FaultsSpec> faults_parameters();
[[nodiscard]] Describe<FaultSpec> fault_parameters();
[[nodiscard]] Describe<ThrottleSpec> throttle_parameters();
[[nodiscard]] Describe<RateSpec> rate_parameters();

/// The table without any <faults>: what optical switches say of their own ports.
[[nodiscard]] HealthTable health_of(const Model& model);

/// The same with a scenario's <faults>. `root`: <scenario>; `model` has all components and links, and the
/// seed. Mistakes (an unknown component, a port that has no cable, a device that cannot fail, a throttle of
/// what is no GPU, more failures than can be held) go to `errors`.
[[nodiscard]] HealthTable read_faults(const Element& root, const Model& model, ErrorList& errors);

}  // namespace lightrail
