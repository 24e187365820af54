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
#include "workloads/job/job.hpp"

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
        if (group.is_communicator)
          takers_[group.name].insert(trace.rank);
        else if (group.is_cut)
          parts_[group].insert(trace.rank);
        else if (!group.ranks.empty())
          whole_[group.name].insert(group.ranks);
      }
      for (const ProcessGroup& group : trace.known_groups) whole_[group.name].insert(group.ranks);
      for (const Membership& m : trace.memberships) {
        auto& [size, members] = placed_[m.communicator];
        size = m.size;
        members[m.place] = trace.rank;
      }
    }
  }

  void complete(const RankTrace& trace, ProcessGroup& group) {
    const auto world = static_cast<std::int64_t>(ranks_.size());
    if (group.is_communicator) return void(group = of_communicator(trace, group));
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
  /// Its members by the places that they have in it, or those who take part.
  ProcessGroup of_communicator(const RankTrace& trace, ProcessGroup group) {
    Ranks all;
    if (const auto placed = placed_.find(group.name); placed != placed_.end()) {
      for (const auto& [place, rank] : placed->second.members) all.push_back(rank);
      if (all.size() != placed->second.size)
        throw InputErrors(InputError{
            trace.path, 0,
            fmt::format("communicator {} has {} ranks, of which the files have {} (is one missing?)",
                        group.name, placed->second.size, all.size())});
    } else {
      all.assign(takers_[group.name].begin(), takers_[group.name].end());
      note(
          "communicators that were made before the trace began have the ranks whose traces take part, in "
          "their "
          "order");
    }
    group.description = fmt::format("nccl{}", all.size());
    return with(group, all);
  }

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

  struct Placed {
    std::uint32_t size = 0;
    std::map<std::uint32_t, std::uint32_t> members;  ///< rank by place
  };

  std::vector<RankTrace>& ranks_;
  std::map<std::string, Placed> placed_;                   ///< by the communicator's name
  std::map<std::string, std::set<std::uint32_t>> takers_;  ///< who takes part in a communicator
  std::map<ProcessGroup, std::set<std::uint32_t>> parts_;  ///< who takes part in a group of a cut list
  std::map<std::string, std::set<Ranks>> whole_;           ///< by the group's name
};

/// Calls of NCCL itself count as Kineto's do: bytes of all members, partners by their rank.
void finish_native_calls(RankTrace& trace) {
  for (Communication& c : trace.communications) {
    if (!c.is_native) continue;
    const ProcessGroup& group = trace.groups[c.group];
    const bool is_part = c.type == CollectiveType::all_gather || c.type == CollectiveType::reduce_scatter ||
                         c.type == CollectiveType::all_to_all;
    if (is_part && c.bytes > largest_operation_bytes / std::max<std::int64_t>(1, group.size))
      throw InputErrors(InputError{trace.path, 0,
                                   fmt::format("event {}: {} bytes on each of {} ranks are more than 16 TiB",
                                               c.event, c.bytes, group.size)});
    if (is_part) c.bytes *= group.size;
    if (c.type == CollectiveType::all_to_all) {
      ExchangeParts& parts = trace.exchanges[static_cast<std::size_t>(c.exchange)];
      parts.in.bytes = parts.out.bytes = c.bytes;
    }
    if (c.kind == OpKind::collective || group.ranks.empty()) continue;
    if (c.peer_rank < 0 || c.peer_rank >= static_cast<std::int64_t>(group.ranks.size()))
      throw InputErrors(InputError{trace.path, 0,
                                   fmt::format("event {}: partner {} of a communicator of {} ranks", c.event,
                                               c.peer_rank, group.size)});
    c.peer_rank = group.ranks[static_cast<std::size_t>(c.peer_rank)];
  }
}

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
  finish_native_calls(trace);
}

void complete_groups(std::vector<RankTrace>& ranks, std::vector<std::string>& notes) {
  Members members(ranks);
  for (RankTrace& trace : ranks)
    for (ProcessGroup& group : trace.groups) members.complete(trace, group);
  for (RankTrace& trace : ranks) finish_native_calls(trace);
  notes.insert(notes.end(), members.notes.begin(), members.notes.end());
}

}  // namespace lightrail
