#include "components/nic/notices.hpp"

#include "network/wire/message.hpp"

namespace lightrail {

std::uint32_t Notices::add(const DeferredWork& work) {
  const SentNotice notice{
      .lane = work.lane, .is_resent = work.is_resent, .bytes = work.bytes, .address = work.address};
  return add(to_payload(notice), work.port());
}

std::uint32_t Notices::add(const Frame& train, PortIndex port) {
  return add(to_payload(train), port);
}

std::uint32_t Notices::add(const Payload& payload, PortIndex port) {
  std::uint32_t number = free_;
  if (number == none) {
    number = static_cast<std::uint32_t>(notices_.size());
    notices_.emplace_back();
  } else {
    free_ = notices_[number].next;
  }
  notices_[number] = {payload, none, port, 0};
  return number;
}

Notices::Notice Notices::take(std::uint32_t number) {
  notices_[number].next = free_;
  free_ = number;
  return notices_[number];
}

}  // namespace lightrail
