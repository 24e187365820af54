#include "app/cli/remark_shortcuts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "app/cli/check_grain.hpp"
#include "engine/base/time.hpp"
#include "fabrics/clos/fabric_layout.hpp"
#include "fabrics/system/train_cap.hpp"
#include "network/port/send_ahead.hpp"
#include "workloads/collective/nccl_settings.hpp"

namespace lightrail {

ModelPart remark_shortcuts(const Model& model) {
  ModelPart part;
  const TrainLengths trains = longest_trains(model);
  if (trains.nvlink > 1 || trains.fabric > 1)
    part.remarks.push_back(
        {"grain", fmt::format("packets travel in trains of up to {} ({} on NVLink); see docs/grain.md",
                              trains.fabric, trains.nvlink)});
  if (const auto* cap = model.resource<TrainCap>())
    part.remarks.push_back({"grain", "the fabric has trains " + cap->text()});
  const auto* ahead = model.resource<SendAhead>();
  if (ahead && ahead->time > SimTime{0})
    part.remarks.push_back(
        {"grain", fmt::format("a busy line is given trains for {} ahead", format_time(ahead->time))});
  const auto* nccl = model.resource<NcclSettings>();
  if (nccl && nccl->fold_rings)
    part.remarks.push_back(
        {"collectives", "the steps of a ring in one server are one exchange (fold-rings)"});
  const auto* layout = model.resource<FabricLayout>();
  if (layout && !layout_warnings(*layout).empty())
    part.remarks.push_back(
        {"fabric", "it is not oversubscribed everywhere as asked; validate shows the layout"});
  return part;
}

}  // namespace lightrail
