#include "workloads/replica_sample.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace lightrail {

std::shared_ptr<ReplicaSample> replica_sample(const GroupTable& groups, const ProgramSet& programs) {
  auto sample = std::make_shared<ReplicaSample>();
  std::vector<GroupKindId> whole;
  bool has_copies = false;
  for (std::uint32_t k = 0; k < groups.kind_count(); ++k) {
    const GroupKindId id{k};
    sample->stands_for = std::max(sample->stands_for, groups.kind(id).stands_for);
    has_copies |= groups.kind(id).holds_copies;
    // What all GPUs of a job are in says nothing of their work.
    if (!groups.kind(id).holds_copies && groups.kind(id).name != "world") whole.push_back(id);
  }
  if (!has_copies) return nullptr;
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
  for (std::uint32_t gpu = 0; gpu < programs.program_of_gpu.size(); ++gpu) {
    std::vector<std::uint32_t> place{programs.program_of_gpu[gpu]};
    for (const GroupKindId kind : whole) place.push_back(groups.group_of(kind, EndpointId{gpu}).my_index);
    const auto number = static_cast<std::uint32_t>(numbers.size());
    sample->work_of_gpu.push_back(numbers.try_emplace(std::move(place), number).first->second);
  }
  if (numbers.size() == sample->work_of_gpu.size()) return nullptr;
  return sample;
}

}  // namespace lightrail
