#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/collective/algorithm.hpp"

namespace lightrail {

/// What DeepEP and HybridEP share: a dispatch of tokens to the GPUs of their experts; a combine goes the
/// other way and takes as long. `op.bytes` are the copies of all tokens, one an expert (ExpertCounts of
/// `op.peer`; 0: as <nccl> says); what travels is once for each server and GPU that has any of a token's
/// experts (ExpertRoutes): over the rail to the GPU of the own place in each server, from there over NVLink,
/// in slices.
class ExpertDispatch : public CollectiveAlgorithm {
 public:
  [[nodiscard]] bool serves(CollectiveType type) const final { return type == CollectiveType::all_to_all; }
  [[nodiscard]] std::optional<std::string> hindrance(const GroupPlan& plan, const Op& op) const final;
  [[nodiscard]] ProtocolRule protocol_rule() const final { return ProtocolRule::by_message; }
  [[nodiscard]] SimTime start_delay(const GroupPlan& plan, const Op& op, Protocol protocol) const final;
  [[nodiscard]] std::uint32_t sms(const GroupPlan& plan) const final;
  [[nodiscard]] std::vector<const char*> borrowed(const GroupPlan& plan, const NcclDevice* own) const final;
  [[nodiscard]] CollectivePlan plan(const CollectiveInput& in) const final;
};

}  // namespace lightrail
