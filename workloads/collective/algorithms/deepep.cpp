#include <memory>
#include <string>

#include "workloads/collective/algorithms/expert_dispatch.hpp"

namespace lightrail {
namespace {

/// DeepEP, normal kernels (github.com/deepseek-ai/DeepEP).
class DeepEp final : public ExpertDispatch {
 public:
  [[nodiscard]] std::string name() const override { return "deepep"; }
  [[nodiscard]] std::string doc() const override {
    return "DeepEP: a token once to a server over its rail, from there over NVLink";
  }
  [[nodiscard]] TokenBuffers token_buffers() const override { return TokenBuffers::arrival; }
};

}  // namespace

std::shared_ptr<const CollectiveAlgorithm> deepep_algorithm() {
  return std::make_shared<const DeepEp>();
}

}  // namespace lightrail
