#include "app/cli/abort_reason.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "network/health/health_table.hpp"

namespace lightrail {

std::string abort_reason(const Model& model, SimTime end) {
  const auto* health = model.resource<HealthTable>();
  if (!health) return "";
  const auto dead = health->dead_gpus(end);
  if (dead.empty()) return "";
  constexpr std::size_t max_named = 4;
  std::string text;
  for (std::size_t i = 0; i < dead.size() && i < max_named; ++i)
    text += fmt::format("{}{} stands still since {}", i > 0 ? ", " : "", model.component_name(dead[i].first),
                        format_time(dead[i].second));
  if (dead.size() > max_named) text += fmt::format(", and {} more", dead.size() - max_named);
  return text +
         fmt::format("; the job is ended when one of its collectives has waited {} ('collective-timeout')",
                     format_time(health->collective_timeout()));
}

}  // namespace lightrail
