#include "workloads/job/operation_names.hpp"

namespace lightrail {

const std::vector<std::pair<std::string, Scaling>>& scaling_names() {
  static const std::vector<std::pair<std::string, Scaling>> names{{"tensorwise", Scaling::tensorwise},
                                                                  {"rowwise", Scaling::rowwise}};
  return names;
}

}  // namespace lightrail
