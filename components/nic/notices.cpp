#include "components/nic/notices.hpp"

#include "network/wire/message.hpp"

namespace lightrail {

std::uint32_t Notices::add(const DeferredWork& work) {
  std::uint32_t number = free_;
  if (number == none) {
    number = static_cast<std::uint32_t>(notices_.size());
    notices_.emplace_back();
  } else {
    free_ = notices_[number].next;
  }
  const SentNotice notice{
      .lane = work.lane, .is_resent = work.is_resent, .bytes = work.bytes, .address = work.address};
  notices_[number] = {to_payload(notice), none, work.port(), 0};
  return number;
}

Notices::Notice Notices::take(std::uint32_t number) {
  notices_[number].next = free_;
  free_ = number;
  return notices_[number];
}

}  // namespace lightrail
