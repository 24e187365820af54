#include "workloads/goodput/goodput_use.hpp"

namespace lightrail {

const std::array<const char*, goodput_uses>& goodput_use_names() {
  static const std::array<const char*, goodput_uses> names{
      "effective",  "checkpoint",     "saving", "lost",    "detection", "replacement",
      "rendezvous", "initialisation", "load",   "warm_up", "degraded"};
  return names;
}

}  // namespace lightrail
