#include "network/wire/phase.hpp"

namespace lightrail {

std::vector<std::string> phase_labels() {
  return {"ring",          "pairs",           "pairs_clear", "barrier", "point_to_point", "point_clear",
          "io_request",    "io_ready",        "io_data",     "io_done", "tree_up",        "tree_down",
          "nvls_sum",      "nvls_result",     "exchange",    "collnet", "folded_ring",    "kv",
          "tree_up_clear", "tree_down_clear", "ring_clear",  "users"};
}

}  // namespace lightrail
