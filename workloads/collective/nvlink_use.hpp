#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"
#include "engine/model/model.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/collective/group_plan.hpp"
#include "workloads/collective/nccl_settings.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// What operations of GPUs put on the NVLinks of their server, as far as programs and the system say it
/// before the run; where they leave it open, more rather than less.
class NvlinkUse {
 public:
  /// Needs what prepare_execution() made.
  explicit NvlinkUse(const Model& model);

  struct Reach {
    bool uses = false;               ///< NVLink, or copies within the GPU's memory
    std::vector<EndpointId> others;  ///< of this server, whose ports it may use
  };
  /// Of a collective, send or receive of `gpu`.
  [[nodiscard]] Reach of(const Op& op, EndpointId gpu);
  /// From its start to its first byte at least, whoever of `group` it is; time_never: it has no byte of its
  /// own.
  [[nodiscard]] SimTime start_of(const Op& op, const GroupPlan& group) const;

 private:
  /// Messages to a GPU of another server may go over NVLink first: to the NIC of its rail (PXN).
  [[nodiscard]] bool goes_by_others(EndpointId gpu, EndpointId to) const;
  /// Whether members of the group that `gpu` is in have NICs of different rails.
  [[nodiscard]] bool crosses_rails(const GroupPlan& group, GroupKindId kind);
  void add_server(EndpointId gpu, Reach& reach) const;

  const GroupTable& groups_;
  const GroupPlans& plans_;
  const AddressBook& book_;
  const AlgorithmRegistry& algorithms_;
  const NcclSettings& nccl_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> crosses_;  ///< by kind and first member
};

}  // namespace lightrail
