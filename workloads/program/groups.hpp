#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/id.hpp"

namespace lightrail {

/// One GPU's view of its group: member i is an endpoint; no storage per GPU for regular groups.
class GroupTable;

/// A family of disjoint groups over the GPUs, e.g. all tensor-parallel groups. Regular: the members of a
/// group are base + sum_k index_k * stride_k (at most three digits; the first digit counts fastest);
/// irregular: listed.
struct GroupKind {
  struct Digit {
    std::uint32_t count = 1, stride = 1;  ///< in GPU numbers (job ranks)
  };
  std::string name;                             ///< "tp", "dp", "ep", "pp", "world" or a process group's name
  std::vector<Digit> digits;                    ///< regular form
  std::vector<std::vector<EndpointId>> listed;  ///< irregular form; a GPU in none has no group of this kind
  /// Members of the job that a member stands for (TrainingPlan::fold): collectives take the steps and shares
  /// of as many, over the members that there are.
  std::uint32_t stands_for = 1;
  bool holds_copies = false;  ///< data parallelism: members do the same work, each on data of its own

  /// Members of a group; of irregular kinds, of the first one.
  [[nodiscard]] std::int64_t size() const;
};

struct GroupView {
  const GroupTable* table = nullptr;
  GroupKindId kind{};
  EndpointId base{};         ///< regular: member 0
  std::uint32_t listed = 0;  ///< irregular: index of the list
  std::uint32_t size = 0;    ///< 0: this GPU is in no group of this kind
  std::uint32_t my_index = 0;

  [[nodiscard]] EndpointId member(std::uint32_t index) const;
};

/// All group kinds of the job. At most 255 kinds; a GPU is in at most one group of a kind.
class GroupTable {
 public:
  /// Kinds that a job may have.
  static constexpr std::size_t max_kinds = 255;

  /// Throws InputErrors for a GPU in two groups, a stride that leaves the GPUs, an empty group.
  GroupKindId add(GroupKind kind, std::uint32_t gpu_count);
  [[nodiscard]] const GroupKind& kind(GroupKindId id) const { return kinds_[id.value]; }
  [[nodiscard]] std::size_t kind_count() const { return kinds_.size(); }
  [[nodiscard]] GroupKindId find(const std::string& name) const;  ///< invalid when unknown
  [[nodiscard]] GroupView group_of(GroupKindId kind, EndpointId gpu) const;

 private:
  friend struct GroupView;
  struct Place {
    std::uint32_t list = 0xffffffff, index = 0;
  };
  std::vector<GroupKind> kinds_;
  std::vector<std::vector<Place>> place_;  ///< irregular kinds only: by GPU
};

}  // namespace lightrail
