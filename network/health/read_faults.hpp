#pragma once
#include "engine/model/describe.hpp"
#include "engine/model/model.hpp"
#include "network/health/health_table.hpp"

namespace lightrail {

/// <faults>: how late a change is known.
struct FaultsSpec {
  SimTime detection = milliseconds(200);
  SimTime reconvergence = milliseconds(10'000);
};

/// <fault>: one outage.
struct FaultSpec {
  SimTime at{};
  SimTime length = time_never;
  std::string what;
};

[[nodiscard]] Describe<FaultsSpec> faults_parameters();
[[nodiscard]] Describe<FaultSpec> fault_parameters();

/// The table without any <faults>: what optical switches say of their own ports.
[[nodiscard]] HealthTable health_of(const Model& model);

/// The same with a scenario's <faults>. `root`: <scenario>; `model` has all components and
/// links. Mistakes (an unknown component, a port that has no cable, a device that cannot fail) go to
/// `errors`.
[[nodiscard]] HealthTable read_faults(const Element& root, const Model& model, ErrorList& errors);

}  // namespace lightrail
