#include "app/cli/fold_factor.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "app/cli/run_detail.hpp"
#include "engine/model/fold_factor.hpp"
#include "fabrics/system/whole_fabric.hpp"
#include "network/port/device_traits.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/program/groups.hpp"

namespace lightrail {

ModelPart fold_factor(const Scenario& scenario, const Registry& registry, const Model& model) {
  const auto* groups = model.resource<GroupTable>();
  const auto* book = model.resource<AddressBook>();
  const auto* run = model.resource<RunDetail>();
  ModelPart part;
  if (!groups) return part;
  FoldFactor fold;
  for (std::uint32_t k = 0; k < groups->kind_count(); ++k)
    fold.times = std::max(fold.times, groups->kind(GroupKindId{k}).stands_for);
  if (fold.times == 1) return part;
  fold.gpus = book ? book->gpu_count : 0;
  fold.has_stand_ins = run && run->detail == Detail::formula;
  const auto nics =
      std::count_if(model.components.begin(), model.components.end(), [&](const ComponentRecord& component) {
        return role_of(*model.specs[component.spec]) == DeviceRole::nic;
      });
  auto whole = build_whole_fabric(scenario, fold.times, nics, registry.components, registry.fabrics);
  fold.network = whole->cost;
  part.resources.add(std::make_shared<const FoldFactor>(fold));
  part.resources.add(std::move(whole));
  return part;
}

}  // namespace lightrail
