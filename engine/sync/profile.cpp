#include "engine/sync/profile.hpp"

#include <algorithm>

namespace lightrail {
namespace {

void merge(ProfileRow& into, const ProfileRow& row) {
  if (into.windows == 0) into.first_window = row.first_window, into.t_start = row.t_start;
  into.windows += row.windows;
  into.t_end = row.t_end;
  into.work_s += row.work_s;
  into.wait_s += row.wait_s;
  into.events += row.events;
  into.sent_events += row.sent_events;
  into.sent_bytes += row.sent_bytes;
}

}  // namespace

void Profile::add(const ProfileRow& window) {
  merge(total_, window);
  merge(open_, window);
  if (open_.windows < windows_a_row_) return;
  rows_.push_back(open_);
  open_ = {};
  if (rows_.size() < limit) return;
  for (std::size_t i = 0; i < limit / 2; ++i) {
    ProfileRow pair = rows_[2 * i];
    merge(pair, rows_[2 * i + 1]);
    rows_[i] = pair;
  }
  rows_.resize(limit / 2);
  windows_a_row_ *= 2;
}

std::vector<ProfileRow> Profile::rows() const {
  std::vector<ProfileRow> all = rows_;
  if (open_.windows > 0) all.push_back(open_);
  return all;
}

}  // namespace lightrail
