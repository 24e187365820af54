#include "app/cli/busy_cores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lightrail {
namespace {

constexpr double free_share = 0.9;      // interrupts, mpiexec and the like take less than the rest
constexpr double least_waited_s = 0.5;  // of a rank: shorter runs say nothing of their machine

}  // namespace

std::string busy_cores_text(const CoreTime& cores, int ranks, double wall_s) {
  if (cores.share() > free_share || cores.waited_s < least_waited_s * ranks || wall_s <= 0) return "";
  std::string text = fmt::format(
      "busy cores       {} ran {:.0f} % of the time in which {} could have; others had {} for the rest",
      ranks == 1 ? "the rank" : "ranks", 100 * cores.share(), ranks == 1 ? "it" : "they",
      ranks == 1 ? "its core" : "their cores");
  const int enough = std::max(1, static_cast<int>(std::lround(cores.ran_s / wall_s)));
  if (enough < ranks) text += fmt::format(": fewer ranks (mpiexec -n {}) may be faster", enough);
  return text + "\n";
}

}  // namespace lightrail
