#include <memory>
#include <optional>
#include <string>

#include "workloads/collective/algorithms/nvls_sums.hpp"

namespace lightrail {
namespace {

/// Sums in the NVSwitches of every server, and on two trees over servers between them.
class NvlsTree final : public NvlsSums {
 public:
  [[nodiscard]] std::string name() const override { return "nvls-tree"; }
  [[nodiscard]] std::string doc() const override {
    return "sums in the NVSwitches of several servers, two trees between them";
  }
  [[nodiscard]] bool serves(CollectiveType type) const override { return type == CollectiveType::all_reduce; }
  [[nodiscard]] std::optional<std::string> hindrance(const GroupPlan& plan, const Op& op) const override {
    if (auto why = common_hindrance(plan, op)) return why;
    if (plan.servers() == 1) return "is for several servers (nvls for one)";
    return std::nullopt;
  }
  [[nodiscard]] CollectivePlan plan(const CollectiveInput& in) const override { return all_reduce(in); }
};

}  // namespace

std::shared_ptr<const CollectiveAlgorithm> nvls_tree_algorithm() {
  return std::make_shared<const NvlsTree>();
}

}  // namespace lightrail
