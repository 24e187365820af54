#include <memory>
#include <string>

#include "workloads/collective/algorithms/expert_dispatch.hpp"

namespace lightrail {
namespace {

/// HybridEP (github.com/deepseek-ai/DeepEP, branch hybrid-ep): the same routes. Its rates stand in <nccl>, as
/// DeepEP's do.
class HybridEp final : public ExpertDispatch {
 public:
  [[nodiscard]] std::string name() const override { return "hybridep"; }
  [[nodiscard]] std::string doc() const override {
    return "HybridEP: as DeepEP, by maps that all members gather first";
  }
  [[nodiscard]] TokenBuffers token_buffers() const override { return TokenBuffers::staged; }
};

}  // namespace

std::shared_ptr<const CollectiveAlgorithm> hybridep_algorithm() {
  return std::make_shared<const HybridEp>();
}

}  // namespace lightrail
