#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workloads/job/job.hpp"

namespace lightrail {

/// Makes group kinds of the process groups that a trace names: disjoint groups of one description and size
/// share a kind, because a GPU is in at most one of them and GPUs that play the same part then share their
/// program. Everybody is the kind "world".
class GroupFamilies {
 public:
  GroupFamilies(JobBuilder& job, std::uint32_t ranks) : job_(job), ranks_(ranks) {}

  struct Place {
    GroupKindId kind{};
    std::uint16_t dimension = no_dimension;
  };
  /// Members in the order of the group, each below `ranks` and once. A new family is called `name` ("": as it
  /// is described). Throws InputErrors past 255 kinds.
  Place add(const std::vector<std::uint32_t>& members, const std::string& description,
            const std::string& name = "");
  Place world();

 private:
  struct Family {
    std::string description;
    std::size_t size = 0;
    std::vector<bool> has;
    Place place;
  };
  JobBuilder& job_;
  std::uint32_t ranks_ = 0;
  std::vector<Family> families_;
  std::map<std::vector<std::uint32_t>, Place> known_;
};

}  // namespace lightrail
