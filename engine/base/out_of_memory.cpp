#include "engine/base/out_of_memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

namespace lightrail {

std::string out_of_memory_text() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return fmt::format(
      "out of memory after {:.1f} GB of this process (less is needed with ranks on more nodes, a coarser "
      "grain, or fewer tables and GPUs in <output>)",
      static_cast<double>(use.ru_maxrss) * 1024e-9);
}

}  // namespace lightrail
