#include "engine/base/core_time.hpp"

#include <cstdint>
#include <sstream>

#include "engine/base/whole_file.hpp"

namespace lightrail {

CoreTime core_time() {
  return parse_core_time(read_whole("/proc/thread-self/schedstat"));
}

CoreTime parse_core_time(const std::string& schedstat) {
  std::istringstream line(schedstat);
  std::uint64_t ran_ns = 0, waited_ns = 0;
  if (!(line >> ran_ns >> waited_ns)) return {};
  return {1e-9 * static_cast<double>(ran_ns), 1e-9 * static_cast<double>(waited_ns)};
}

}  // namespace lightrail
