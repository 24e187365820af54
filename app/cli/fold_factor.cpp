#include "app/cli/fold_factor.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "app/cli/run_detail.hpp"
#include "engine/model/fold_factor.hpp"
#include "workloads/program/groups.hpp"

namespace lightrail {

ModelPart fold_factor(const Model& model) {
  const auto* groups = model.resource<GroupTable>();
  const auto* run = model.resource<RunDetail>();
  ModelPart part;
  if (!groups || (run && run->detail == Detail::formula)) return part;
  FoldFactor fold;
  for (std::uint32_t k = 0; k < groups->kind_count(); ++k)
    fold.times = std::max(fold.times, groups->kind(GroupKindId{k}).stands_for);
  if (fold.times > 1) part.resources.add<FoldFactor>(std::make_shared<const FoldFactor>(fold));
  return part;
}

}  // namespace lightrail
