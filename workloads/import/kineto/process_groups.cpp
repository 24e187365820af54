#include "workloads/import/kineto/process_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/import/uneven_exchange.hpp"
#include "workloads/job/operation_names.hpp"

namespace lightrail {

namespace {

using Ranks = std::vector<std::uint32_t>;

[[noreturn]] void fail(const RankTrace& trace, const std::string& what) {
  throw InputErrors(InputError{trace.path, 0, what});
}

class Groups {
 public:
  explicit Groups(const std::vector<RankTrace>& ranks) : ranks_(ranks) {}

  /// The members of a process group, checked.
  [[nodiscard]] Ranks members(const RankTrace& trace, const ProcessGroup& c) const {
    auto world = static_cast<std::uint32_t>(ranks_.size());
    Ranks all = c.ranks;
    if (all.empty()) {
      if (c.size != world)
        fail(trace, fmt::format("a collective of {} ranks does not list them, and the trace has {} ranks",
                                c.size, world));
      for (std::uint32_t r = 0; r < world; ++r) all.push_back(r);
    }
    for (std::uint32_t r : all)
      if (r >= world)
        fail(trace,
             fmt::format("process group '{}' names rank {}, of which there is no file ({})", c.description, r,
                         world == 1 ? "one rank; others=same lets it stand for all"
                                    : fmt::format("{} ranks", world)));
    Ranks sorted = all;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      fail(trace, fmt::format("process group '{}' names a rank twice", c.description));
    if (!std::binary_search(sorted.begin(), sorted.end(), trace.rank))
      fail(trace, fmt::format("rank {} takes part in process group '{}' without being its member", trace.rank,
                              c.description));
    return all;
  }

  void add(const Ranks& members, const ProcessGroup& group) {
    const std::string& description = group.description.empty() ? group.name : group.description;
    if (kind_of_.contains(members)) return;
    std::size_t k = 0;
    while (k < kinds_.size() && !fits(kinds_[k], members, description)) ++k;
    if (k == kinds_.size())
      kinds_.push_back({description, members.size(), {}, std::vector<bool>(ranks_.size())});
    kinds_[k].lists.push_back(members);
    for (std::uint32_t r : members) kinds_[k].has[r] = true;
    kind_of_[members] = k;
  }

  /// One GroupKind a family, named "world", after its description, or "pg" and its number.
  void install(JobBuilder& job) {
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      GroupKind kind;
      bool is_world = kinds_[k].lists.size() == 1 && kinds_[k].size == ranks_.size();
      kind.name = is_world                        ? "world"
                  : kinds_[k].description.empty() ? fmt::format("pg{}", k)
                                                  : kinds_[k].description;
      while (job.find_group(kind.name).is_valid()) kind.name += "'";
      for (const Ranks& list : kinds_[k].lists) {
        std::vector<EndpointId> gpus;
        for (std::uint32_t r : list) gpus.emplace_back(r);
        kind.listed.push_back(std::move(gpus));
      }
      kinds_[k].dimension = job.dimension(kind.name);
      kinds_[k].id = job.group(std::move(kind));
    }
  }

  [[nodiscard]] BoundCommunication bind(const RankTrace& trace, const Communication& c,
                                        const Ranks& members) const {
    const Kind& kind = kinds_[kind_of_.at(members)];
    BoundCommunication bound{kind.id, 0, c.bytes, kind.dimension};
    if (c.kind != OpKind::collective) {
      auto peer = std::find(members.begin(), members.end(), static_cast<std::uint32_t>(c.peer_rank));
      // PyTorch gives the partner by its rank in the world or, in some versions, in the group.
      if (peer != members.end())
        bound.peer = static_cast<std::int32_t>(peer - members.begin());
      else if (c.peer_rank < static_cast<std::int64_t>(members.size()))
        bound.peer = static_cast<std::int32_t>(c.peer_rank);
      else
        fail(trace, fmt::format("rank {} exchanges data with rank {}, which is not in process group '{}'",
                                trace.rank, c.peer_rank, trace.groups[c.group].description));
    }
    return bound;
  }

 private:
  struct Kind {
    std::string description;
    std::size_t size = 0;
    std::vector<Ranks> lists;
    std::vector<bool> has;
    GroupKindId id{};
    std::uint16_t dimension = no_dimension;
  };
  static bool fits(const Kind& kind, const Ranks& members, const std::string& description) {
    return kind.description == description && kind.size == members.size() &&
           std::none_of(members.begin(), members.end(), [&](std::uint32_t r) { return kind.has[r]; });
  }
  const std::vector<RankTrace>& ranks_;
  std::vector<Kind> kinds_;
  std::map<Ranks, std::size_t> kind_of_;
};

std::string text_of(const Communication& c) {
  return fmt::format("{} of {} B", collective_name(c.type), c.bytes);
}

/// Every member of a group must have executed the same collectives in the same order.
void check_agreement(const std::vector<RankTrace>& ranks, const std::vector<std::vector<Ranks>>& members) {
  std::map<Ranks, std::pair<std::uint32_t, std::vector<const Communication*>>> first;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    // Groups of other descriptions but the same members are one communicator here.
    std::map<Ranks, std::vector<const Communication*>> mine;
    std::vector<std::vector<const Communication*>*> of_group;
    for (const Ranks& list : members[r]) of_group.push_back(&mine[list]);
    for (const auto& c : ranks[r].communications)
      if (c.kind == OpKind::collective) of_group[c.group]->push_back(&c);
    std::erase_if(mine, [](const auto& entry) { return entry.second.empty(); });
    for (auto& [list, calls] : mine) {
      auto [it, is_new] = first.try_emplace(list, r, calls);
      if (is_new) {
        // A member before this one without a single call would have no entry to compare with.
        for (std::uint32_t member : list)
          if (member < r)
            fail(ranks[member], fmt::format("rank {} has no collective of a group in which {} has {}", member,
                                            ranks[r].path, calls.size()));
        continue;
      }
      const auto& other = it->second.second;
      const auto& other_path = ranks[it->second.first].path;
      if (calls.size() != other.size())
        fail(ranks[r], fmt::format("{} collectives in a group of {} ranks, but {} in {}", calls.size(),
                                   list.size(), other.size(), other_path));
      for (std::size_t i = 0; i < calls.size(); ++i)
        if (calls[i]->type != other[i]->type ||
            (calls[i]->bytes != other[i]->bytes && calls[i]->type != CollectiveType::all_to_all))
          fail(ranks[r], fmt::format("collective {} is {}, but {} in {}", i, text_of(*calls[i]),
                                     text_of(*other[i]), other_path));
    }
    for (auto& [list, entry] : first)
      if (!mine.contains(list) && std::find(list.begin(), list.end(), r) != list.end())
        fail(ranks[r], fmt::format("no collective in a group of {} ranks, but {} in {}", list.size(),
                                   entry.second.size(), ranks[entry.first].path));
  }
}

/// The all-to-alls of every group, in order, by member: which exchange what.
void bind_exchanges(const std::vector<RankTrace>& ranks, const std::vector<std::vector<Ranks>>& members,
                    JobBuilder& job, std::vector<std::vector<BoundCommunication>>& bound) {
  std::map<Ranks, std::map<std::uint32_t, std::vector<std::size_t>>> calls;
  for (std::uint32_t r = 0; r < ranks.size(); ++r)
    for (std::size_t i = 0; i < ranks[r].communications.size(); ++i)
      if (const Communication& c = ranks[r].communications[i]; c.type == CollectiveType::all_to_all)
        calls[members[r][c.group]][r].push_back(i);
  for (const auto& [list, of_rank] : calls)
    for (std::size_t i = 0; i < of_rank.begin()->second.size(); ++i) {
      std::vector<ExchangeCall> exchange;
      for (std::uint32_t r : list) {
        const Communication& c = ranks[r].communications[of_rank.at(r)[i]];
        const ExchangeParts& parts = ranks[r].exchanges[static_cast<std::size_t>(c.exchange)];
        exchange.push_back({&ranks[r].path, fmt::format("event {}", c.event), r, &parts.in, &parts.out});
      }
      Exchange made = exchange_of(exchange, i);
      if (!made.note.empty()) job.note(made.note);
      const std::uint16_t split = made.matrix.size > 0 ? job.split(std::move(made.matrix)) : std::uint16_t{0};
      for (std::uint32_t r : list) {
        BoundCommunication& mine = bound[r][of_rank.at(r)[i]];
        mine.bytes = made.bytes;
        mine.split = split;
      }
    }
}

}  // namespace

std::vector<std::vector<BoundCommunication>> bind_process_groups(const std::vector<RankTrace>& ranks,
                                                                 JobBuilder& job) {
  Groups groups(ranks);
  std::vector<std::vector<Ranks>> members(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r)
    for (const auto& group : ranks[r].groups) {
      members[r].push_back(groups.members(ranks[r], group));
      groups.add(members[r].back(), group);
    }
  check_agreement(ranks, members);
  groups.install(job);
  std::vector<std::vector<BoundCommunication>> bound(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    bound[r].reserve(ranks[r].communications.size());
    for (const Communication& c : ranks[r].communications)
      bound[r].push_back(groups.bind(ranks[r], c, members[r][c.group]));
  }
  bind_exchanges(ranks, members, job, bound);
  return bound;
}

}  // namespace lightrail
