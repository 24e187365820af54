#include "network/port/pause/shared_memory.hpp"

#include <algorithm>

#include "engine/base/error.hpp"
#include "network/port/pause/pause_flow_control.hpp"

namespace lightrail {

std::int64_t SharedMemory::shared_of(const Account& account) const {
  return std::max(account.normal - limits_.reserve, std::int64_t{0});
}

std::int64_t SharedMemory::threshold(std::size_t account) const {
  const Account& own = accounts_[account];
  const std::int64_t free = std::max(limits_.shared - totals_.shared, std::int64_t{0});
  const std::int64_t limit =
      own.alpha == 0 ? shared_of(own) + free : own.alpha * free >> PauseSettings::alpha_bits;
  return limit + own.extra;
}

bool SharedMemory::take(std::size_t account, std::int64_t bytes) {
  Account& own = accounts_[account];
  const std::int64_t after = own.normal + bytes;
  if (after > limits_.reserve && after - limits_.reserve > threshold(account)) {
    if (own.headroom + bytes > own.headroom_limit) return false;
    own.headroom += bytes;
    totals_.headroom += bytes;
  } else {
    totals_.shared -= shared_of(own);
    own.normal = after;
    totals_.shared += shared_of(own);
  }
  totals_.held += bytes;
  own.most = std::max(own.most, own.normal + own.headroom);
  own.most_headroom = std::max(own.most_headroom, own.headroom);
  most_ = std::max(most_, totals_.held);
  most_headroom_ = std::max(most_headroom_, totals_.headroom);
  return true;
}

void SharedMemory::give(std::size_t account, std::int64_t bytes) {
  Account& own = accounts_[account];
  const std::int64_t of_headroom = std::min(own.headroom, bytes);
  LIGHTRAIL_EXPECT(bytes - of_headroom <= own.normal);  // bytes are conserved
  own.headroom -= of_headroom;
  totals_.headroom -= of_headroom;
  totals_.shared -= shared_of(own);
  own.normal -= bytes - of_headroom;
  totals_.shared += shared_of(own);
  totals_.held -= bytes;
}

bool SharedMemory::is_beyond(std::size_t account) const {
  const Account& own = accounts_[account];
  const std::int64_t shared = shared_of(own);
  return own.headroom > 0 || (shared > 0 && shared >= threshold(account));
}

bool SharedMemory::has_emptied(std::size_t account) const {
  const Account& own = accounts_[account];
  const std::int64_t shared = shared_of(own);
  return own.headroom == 0 && (shared == 0 || shared + limits_.resume_offset <= threshold(account));
}

}  // namespace lightrail
