#pragma once
#include <cstdint>
#include <string>

#include "engine/model/model.hpp"
#include "tests/support/memory_recorder.hpp"

namespace lightrail::test {

/// A small odd model of restless components: ring, star, random graph, pairs or loners; equal, mixed or 1 ps
/// latencies; atoms of one or several components. The same for the same arguments.
struct RandomCase {
  Model model;
  SimTime stop_at = time_never;
  SimTime interval = time_never;
  std::string text;  ///< what was drawn, for a failing test's report
};
RandomCase random_case(std::uint64_t number, std::uint64_t max_events = 6000);

/// What every engine and every number of ranks must agree on.
struct Outcome {
  std::uint64_t hash = 0, rows = 0;
  std::int64_t events = 0;
  SimTime end{};
  bool operator==(const Outcome&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Outcome& outcome);

}  // namespace lightrail::test
