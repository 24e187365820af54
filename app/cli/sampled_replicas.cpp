#include "app/cli/sampled_replicas.hpp"

#include <utility>

#include "app/cli/run_detail.hpp"
#include "components/gpu/compute/kernel_variation.hpp"
#include "engine/model/fold_factor.hpp"
#include "engine/model/model_notes.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"
#include "workloads/replica_sample.hpp"

namespace lightrail {

ModelPart sampled_replicas(const Model& model) {
  const auto* variation = model.resource<KernelVariation>();
  const auto* notes = model.resource<ModelNotes>();
  const auto* groups = model.resource<GroupTable>();
  const auto* programs = model.resource<ProgramSet>();
  const auto* run = model.resource<RunDetail>();
  if (run && run->detail == Detail::formula) return {};  // one GPU is simulated of each work
  if ((variation && !variation->slow.empty()) || !notes || !notes->jobs.empty() || !groups || !programs)
    return {};
  // By messages nothing that happens in a fabric takes replicas apart, not even those of a whole run.
  const bool may_go_in_lockstep = !variation && run && run->detail == Detail::messages;
  if (!model.resource<FoldFactor>() && !may_go_in_lockstep) return {};
  ModelPart part;
  if (auto sample = replica_sample(*groups, *programs)) {
    sample->is_drawn = variation != nullptr;
    part.resources.add<ReplicaSample>(std::move(sample));
  }
  return part;
}

}  // namespace lightrail
