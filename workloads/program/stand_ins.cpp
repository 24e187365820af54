#include "workloads/program/stand_ins.hpp"

#include <cstddef>
#include <set>
#include <tuple>

#include "workloads/program/peer.hpp"

namespace lightrail {
namespace {

class Chooser {
 public:
  Chooser(const ProgramSet& set, const GroupTable& groups, const std::vector<std::uint32_t>& class_of)
      : set_(set), groups_(groups), class_of_(class_of), is_in_(class_of.size()) {}

  std::vector<EndpointId> choose() {
    std::set<std::uint32_t> classes;
    for (std::uint32_t gpu = 0; gpu < class_of_.size(); ++gpu) {
      if (classes.contains(class_of_[gpu])) continue;
      add(EndpointId{gpu});
      for (; next_ < chosen_.size(); ++next_) {
        classes.insert(class_of_[chosen_[next_].value]);
        add_partners(chosen_[next_]);
      }
    }
    std::vector<EndpointId> all;
    for (std::uint32_t gpu = 0; gpu < is_in_.size(); ++gpu)
      if (is_in_[gpu]) all.emplace_back(gpu);
    return all;
  }

 private:
  void add(EndpointId gpu) {
    if (is_in_[gpu.value]) return;
    is_in_[gpu.value] = true;
    chosen_.push_back(gpu);
  }

  /// Of the program that a GPU begins with, and of those that follow it.
  void add_partners(EndpointId gpu) {
    std::uint32_t program = set_.program_of_gpu[gpu.value];
    while (true) {
      for (const Op& op : set_.programs[program].ops) add_partners(gpu, op);
      if (set_.programs[program].next == itself) return;
      program = set_.programs[program].next;
    }
  }

  void add_partners(EndpointId gpu, const Op& op) {
    const bool is_point = op.kind == OpKind::send || op.kind == OpKind::recv;
    if (!is_point && op.kind != OpKind::collective && op.split == 0) return;
    const GroupView group = groups_.group_of(op.group, gpu);
    if (group.size < 2) return;
    if (is_point) return add(peer_of(op, group));
    const bool is_uneven = op.split != 0;
    if (!seen_.emplace(op.group.value, group.member(0).value, is_uneven).second) return;
    std::set<std::uint32_t> classes;
    for (std::uint32_t i = 0; i < group.size; ++i)
      if (is_in_[group.member(i).value]) classes.insert(class_of_[group.member(i).value]);
    for (std::uint32_t i = 0; i < group.size; ++i)
      if (is_uneven || classes.insert(class_of_[group.member(i).value]).second) add(group.member(i));
  }

  const ProgramSet& set_;
  const GroupTable& groups_;
  const std::vector<std::uint32_t>& class_of_;
  std::vector<bool> is_in_;
  std::vector<EndpointId> chosen_;  ///< in the order of being chosen
  std::size_t next_ = 0;            ///< of these, the first whose partners are not known
  /// Group kind, first member of the group, whether it is an exchange with uneven shares.
  std::set<std::tuple<std::uint32_t, std::uint32_t, bool>> seen_;
};

}  // namespace

std::vector<EndpointId> stand_ins(const ProgramSet& set, const GroupTable& groups,
                                  const std::vector<std::uint32_t>& class_of) {
  return Chooser(set, groups, class_of).choose();
}

}  // namespace lightrail
