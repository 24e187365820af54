#pragma once
#include <memory>
#include <string>
#include <vector>

#include "workloads/job/workload_kind.hpp"

namespace lightrail {

/// The kinds of workload that this run knows: the built-in list, then plugins.
class WorkloadRegistry {
 public:
  /// Throws InputErrors when the name is taken.
  void add(std::shared_ptr<const WorkloadKind> kind);
  /// Null when unknown.
  [[nodiscard]] std::shared_ptr<const WorkloadKind> find(const std::string& name) const;
  /// The kind that a <workload> names; null when it names none that is known, or `workload` is null.
  [[nodiscard]] std::shared_ptr<const WorkloadKind> of(const Element* workload) const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] const std::vector<std::shared_ptr<const WorkloadKind>>& kinds() const { return kinds_; }

  /// Attributes of every <workload>: `kind` and `iterations`.
  [[nodiscard]] std::vector<ParameterDoc> common_parameters() const;
  /// These and all kinds' own, none of which every <workload> needs; of one name the first kind's.
  [[nodiscard]] std::vector<ParameterDoc> all_parameters(const AlgorithmRegistry& algorithms) const;

 private:
  std::vector<std::shared_ptr<const WorkloadKind>> kinds_;
};

}  // namespace lightrail
