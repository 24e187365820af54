#include "components/gpu/execution/step_record.hpp"

#include <algorithm>

namespace lightrail {
namespace {

SimTime difference(SimTime a, SimTime b) {
  return a < b ? b - a : a - b;
}

}  // namespace

SimTime& time_of(std::vector<ExposedTime::Part>& parts, const ExposedTime::Key& key) {
  const auto place =
      std::lower_bound(parts.begin(), parts.end(), key,
                       [](const ExposedTime::Part& part, const ExposedTime::Key& k) { return part.key < k; });
  if (place != parts.end() && place->key == key) return place->time;
  return parts.insert(place, {key, SimTime{0}})->time;
}

SimTime largest_difference(const std::vector<ExposedTime::Part>& a, const std::vector<ExposedTime::Part>& b) {
  std::vector<ExposedTime::Part> all = a;
  for (const ExposedTime::Part& part : b) time_of(all, part.key) -= part.time;
  SimTime largest{0};
  for (const ExposedTime::Part& part : all) largest = std::max(largest, difference(part.time, SimTime{0}));
  return largest;
}

SimTime largest_difference(const StepClock::Totals& a, const StepClock::Totals& b) {
  return std::max({difference(a.compute, b.compute), difference(a.exposed, b.exposed),
                   difference(a.host, b.host), difference(a.idle, b.idle)});
}

}  // namespace lightrail
