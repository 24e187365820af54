#include "network/port/pause/watchdog_spec.hpp"

#include <fmt/format.h>

#include "engine/scenario/units.hpp"
#include "network/port/class_elements.hpp"

namespace lightrail {

Describe<WatchdogSpec> watchdog_parameters() {
  using S = WatchdogSpec;
  constexpr SimTime longest = milliseconds(3'600'000);
  return Describe<S>()
      .field("lane", &S::lane, "lossless class, a virtual lane", 0u, max_lanes - 1)
      .field("detect", &S::detect,
             "a queue that trains wait in and that is paused so long without an end is in a storm",
             nanoseconds(1), longest)
      .field("restore", &S::restore, "without a pause, until the storm is over", nanoseconds(1), longest)
      .choice(
          "action", &S::action,
          "in a storm the queue loses what it holds and what comes for it, or sends in spite of the pause",
          {{"drop", StormAction::drop}, {"forward", StormAction::forward}});
}

std::string watchdog_text(const WatchdogSpec& spec) {
  return fmt::format("{} after {}, until {} without a pause",
                     spec.action == StormAction::drop ? "drop" : "forward", format_value(spec.detect),
                     format_value(spec.restore));
}

std::vector<WatchdogSpec> read_watchdogs(const Element& element, std::uint32_t lanes, LaneMask lossless,
                                         ErrorList& errors) {
  std::vector<WatchdogSpec> all = read_class_elements(
      element, "watchdog", watchdog_parameters(), lanes, errors,
      [&](const Element& child, const WatchdogSpec& spec) {
        if (spec.lane < lanes && (lossless >> spec.lane & 1) == 0)
          errors.add(
              child.error(fmt::format("<watchdog>: class {} is not lossless: nothing pauses it", spec.lane)));
      });
  const auto children = element.children_named("watchdog");
  if (all.size() != children.size()) return all;  // errors have been added
  for (std::size_t i = 0; i < all.size(); ++i) all[i].at = children[i]->error("");
  return all;
}

PauseSettings watched(PauseSettings settings, const std::vector<WatchdogSpec>& watchdogs) {
  for (const WatchdogSpec& spec : watchdogs)
    settings.watchdogs[spec.lane] = {spec.detect, spec.restore, spec.action};
  return settings;
}

}  // namespace lightrail
