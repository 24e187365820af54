#include "app/explain/message_times.hpp"

#include <algorithm>
#include <tuple>

#include "network/wire/connection.hpp"

namespace lightrail {

MessageTimes::MessageTimes(const ResultReader& result) {
  if (!result.has("/tables/messages")) return;
  const auto from = result.numbers("/tables/messages/from"), to = result.numbers("/tables/messages/to"),
             connection = result.numbers("/tables/messages/connection"),
             first = result.numbers("/tables/messages/t_start_ps"),
             last = result.numbers("/tables/messages/t_end_ps");
  result.check_lengths("/tables/messages",
                       {from.size(), to.size(), connection.size(), first.size(), last.size()});
  rows_.reserve(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Connection of{static_cast<std::uint32_t>(connection[i])};
    rows_.push_back({to[i], of.group_kind(), first[i], last[i], from[i]});
  }
  const auto key = [](const Row& row) {
    return std::tie(row.to, row.group, row.first_ps, row.last_ps, row.from);
  };
  std::sort(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) { return key(a) < key(b); });
  last_so_far_.resize(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const bool goes_on = i > 0 && rows_[i - 1].to == rows_[i].to && rows_[i - 1].group == rows_[i].group;
    last_so_far_[i] = goes_on ? std::max(last_so_far_[i - 1], rows_[i].last_ps) : rows_[i].last_ps;
  }
}

/// The first row of the receiver and group from which on something may last beyond `from_ps`.
std::vector<MessageTimes::Row>::const_iterator MessageTimes::begin_of(std::int64_t to, std::int64_t group,
                                                                      std::int64_t from_ps) const {
  const auto is_before = [&](const Row& row) {
    const std::int64_t last = last_so_far_[static_cast<std::size_t>(&row - rows_.data())];
    return std::tie(row.to, row.group) < std::tie(to, group) ||
           (row.to == to && row.group == group && last <= from_ps);
  };
  return std::partition_point(rows_.begin(), rows_.end(), is_before);
}

std::optional<std::int64_t> MessageTimes::arriving_ps(std::int64_t receiver, std::int64_t group,
                                                      std::int64_t sender, std::int64_t from,
                                                      std::int64_t to) const {
  std::int64_t sum = 0, reached = from;
  bool is_known = false;
  for (auto row = begin_of(receiver, group, from);
       row != rows_.end() && row->to == receiver && row->group == group && row->first_ps < to; ++row) {
    if (sender != anyone && row->from != sender) continue;
    if (row->last_ps <= from) continue;
    is_known = true;
    sum += std::max<std::int64_t>(0, std::min(row->last_ps, to) - std::max(row->first_ps, reached));
    reached = std::max(reached, std::min(row->last_ps, to));
  }
  return is_known ? std::optional(sum) : std::nullopt;
}

std::optional<MessageTimes::Arrival> MessageTimes::last_before(std::int64_t receiver, std::int64_t group,
                                                               std::int64_t sender, std::int64_t at) const {
  // Rows are in the order of first bytes: back from the last that begins in time.
  auto row = std::partition_point(rows_.begin(), rows_.end(), [&](const Row& r) {
    return std::tie(r.to, r.group, r.first_ps) <= std::tie(receiver, group, at);
  });
  while (row != rows_.begin()) {
    --row;
    if (row->to != receiver || row->group != group) break;
    if (row->from == sender && row->last_ps <= at) return Arrival{row->first_ps, row->last_ps};
  }
  return std::nullopt;
}

}  // namespace lightrail
