#include "workloads/import/chakra/chakra_exchanges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"

namespace lightrail {

void ChakraExchanges::add(const Members& members, std::uint32_t rank, std::int64_t bytes,
                          const std::vector<std::int64_t>& parts, const std::string& path,
                          std::uint64_t node) {
  Call call{{bytes, !parts.empty(), false, parts}, &*paths_.insert(path).first, node};
  auto& of_member = call.in.of_member;
  const auto fail = [&](const std::string& what) {
    throw InputErrors(InputError{path, 0, fmt::format("node {}: {}", node, what)});
  };
  std::int64_t sum = 0;
  for (std::int64_t part : of_member) {
    if (part < 0 || part > largest_operation_bytes) fail(fmt::format("'in_split_size' holds {}", part));
    sum = std::min(sum + part, largest_operation_bytes);
  }
  if (!of_member.empty() && of_member.size() != members.size())
    fail(fmt::format("'in_split_size' has {} entries for a group of {}", of_member.size(), members.size()));
  if (!of_member.empty() && (sum == 0 ? bytes != 0 : bytes % sum != 0))
    fail(fmt::format("'in_split_size' adds up to {}, which does not divide comm_size {}", sum, bytes));
  if (sum > 0)
    for (std::int64_t& part : of_member) part *= bytes / sum;
  groups_[members].of_rank[rank].push_back(std::move(call));
}

bool ChakraExchanges::is_uneven() const {
  for (const auto& [members, group] : groups_) {
    const auto& first = group.of_rank.begin()->second;
    for (const auto& [rank, calls] : group.of_rank) {
      if (calls.size() != first.size()) return true;
      for (std::size_t i = 0; i < calls.size(); ++i) {
        const auto& of_member = calls[i].in.of_member;
        if (calls[i].in.bytes != first[i].in.bytes || calls[i].in.bytes == 0 ||
            std::any_of(of_member.begin(), of_member.end(),
                        [&](std::int64_t part) { return part != of_member[0]; }))
          return true;
      }
    }
    if (group.of_rank.size() < members.size()) return true;
  }
  return false;
}

void ChakraExchanges::finish(JobBuilder& job) {
  const ExchangePart nothing;
  for (auto& [members, group] : groups_) {
    const auto& first = *group.of_rank.begin();
    for (std::uint32_t member : members) {
      const auto it = group.of_rank.find(member);
      const std::size_t count = it == group.of_rank.end() ? 0 : it->second.size();
      if (count != first.second.size())
        throw InputErrors(InputError{*first.second[0].path, 0,
                                     fmt::format("{} all-to-alls in a group of {} ranks, but rank {} has {}",
                                                 first.second.size(), members.size(), member, count)});
    }
    for (std::size_t i = 0; i < first.second.size(); ++i) {
      bool is_uneven = false, is_listed = false;
      for (std::uint32_t member : members) {
        const ExchangePart& in = group.of_rank[member][i].in;
        is_uneven = is_uneven || in.bytes != first.second[i].in.bytes;
        is_listed = is_listed || in.is_listed;
      }
      if (is_uneven && !is_listed)
        job.note(
            "all-to-alls whose comm_size differs by rank: each rank gives every member the same part of its "
            "own");
      std::vector<ExchangeCall> calls;
      for (std::uint32_t member : members) {
        Call& call = group.of_rank[member][i];
        call.in.is_listed = call.in.is_listed || is_uneven || is_listed;
        calls.push_back({call.path, fmt::format("node {}", call.node), member, &call.in, &nothing});
      }
      Exchange made = exchange_of(calls, i);
      const std::uint16_t split = made.matrix.size > 0 ? job.split(std::move(made.matrix)) : std::uint16_t{0};
      group.bound.push_back({made.bytes, split});
    }
    group.of_rank.clear();
  }
}

ChakraExchanges::Bound ChakraExchanges::next(const Members& members, std::uint32_t rank, std::int64_t bytes) {
  const auto it = groups_.find(members);
  if (it == groups_.end()) return {bytes, 0};
  Group& group = it->second;
  const std::size_t i = group.next[rank]++;
  return i < group.bound.size() ? group.bound[i] : Bound{bytes, 0};
}

}  // namespace lightrail
