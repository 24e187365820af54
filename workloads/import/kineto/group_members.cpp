#include "workloads/import/kineto/group_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/base/error.hpp"

namespace lightrail {

namespace {

using Ranks = std::vector<std::uint32_t>;

/// Whether `whole` begins as the cut list of `group` does.
bool fits(const ProcessGroup& group, const Ranks& whole) {
  return static_cast<std::int64_t>(whole.size()) == group.size && group.ranks.size() <= whole.size() &&
         std::equal(group.ranks.begin(), group.ranks.end(), whole.begin());
}

class Members {
 public:
  explicit Members(std::vector<RankTrace>& ranks) : ranks_(ranks) {
    for (const RankTrace& trace : ranks_) {
      for (const ProcessGroup& group : trace.groups) {
        if (group.is_cut)
          parts_[group].insert(trace.rank);
        else if (!group.ranks.empty())
          whole_[group.name].insert(group.ranks);
      }
      for (const ProcessGroup& group : trace.known_groups) whole_[group.name].insert(group.ranks);
    }
  }

  void complete(const RankTrace& trace, ProcessGroup& group) {
    const auto world = static_cast<std::int64_t>(ranks_.size());
    if (group.ranks.empty()) {
      for (const ProcessGroup& known : trace.known_groups)
        if (known.name == group.name && (group.size == 0 || known.size == group.size))
          group = with(group, known.ranks);
      if (group.size == 0 && group.ranks.empty()) {
        group.size = world;
        note(fmt::format("process group '{}': the traces do not say its members: taken as everybody",
                         name(group)));
      }
      return;
    }
    if (!group.is_cut) return;
    for (const Ranks& whole : whole_[group.name])
      if (fits(group, whole) && std::find(whole.begin(), whole.end(), trace.rank) != whole.end())
        return void(group = with(group, whole));
    Ranks all;
    if (group.size == world)
      for (std::uint32_t r = 0; r < ranks_.size(); ++r) all.push_back(r);
    else
      all.assign(parts_[group].begin(), parts_[group].end());
    if (!fits(group, all))
      throw InputErrors(InputError{
          trace.path, 0,
          fmt::format(
              "process group '{}' lists {} of its {} members (PyTorch cuts the list), and neither the "
              "other files nor 'pg_config' name the rest",
              name(group), group.ranks.size(), group.size)});
    note(
        fmt::format("process group '{}' of {}: PyTorch cut its list; its members are the ranks whose traces "
                    "take part",
                    name(group), group.size));
    group = with(group, all);
  }

  std::vector<std::string> notes;

 private:
  static std::string name(const ProcessGroup& group) {
    return group.description.empty() ? group.name : group.description;
  }
  static ProcessGroup with(ProcessGroup group, const Ranks& members) {
    group.ranks = members;
    group.is_cut = false;
    group.size = static_cast<std::int64_t>(members.size());
    return group;
  }
  void note(std::string text) {
    if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(std::move(text));
  }

  std::vector<RankTrace>& ranks_;
  std::map<ProcessGroup, std::set<std::uint32_t>> parts_;  ///< who takes part in a group of a cut list
  std::map<std::string, std::set<Ranks>> whole_;           ///< by the group's name
};

}  // namespace

void complete_groups_of_one(RankTrace& trace, std::uint32_t ranks) {
  for (ProcessGroup& group : trace.groups) {
    const auto known = std::find_if(trace.known_groups.begin(), trace.known_groups.end(),
                                    [&](const ProcessGroup& other) { return other.name == group.name; });
    if ((group.is_cut || group.ranks.empty()) && known != trace.known_groups.end()) {
      group.ranks = known->ranks;
      group.size = known->size;
      group.is_cut = false;
    }
    if (group.is_cut && group.size == ranks) group.ranks.clear(), group.is_cut = false;
    // What is cut can only go on as it began.
    const std::uint32_t stride = group.is_cut && group.ranks.size() > 1 && group.ranks[1] > group.ranks[0]
                                     ? group.ranks[1] - group.ranks[0]
                                     : 0;
    if (stride > 0) {
      trace.notes.push_back(
          fmt::format("process group '{}' of {}: PyTorch cut its list; its members are taken to "
                      "go on as they begin",
                      group.description.empty() ? group.name : group.description, group.size));
      while (static_cast<std::int64_t>(group.ranks.size()) < group.size)
        group.ranks.push_back(group.ranks.back() + stride);
    }
    if (group.size == 0 && group.ranks.empty()) {
      group.size = ranks;
      trace.notes.push_back(
          fmt::format("{}: communications that do not say their process group are everybody's", trace.path));
    }
  }
}

void complete_groups(std::vector<RankTrace>& ranks, std::vector<std::string>& notes) {
  Members members(ranks);
  for (RankTrace& trace : ranks)
    for (ProcessGroup& group : trace.groups) members.complete(trace, group);
  notes.insert(notes.end(), members.notes.begin(), members.notes.end());
}

}  // namespace lightrail
