#include "components/nic/notices.hpp"

#include <algorithm>

#include "network/wire/message.hpp"

namespace lightrail {

std::uint32_t Notices::add(const DeferredWork& work, std::uint32_t parts) {
  const SentNotice notice{
      .lane = work.lane, .is_resent = work.is_resent, .bytes = work.bytes, .address = work.address};
  return add(to_payload(notice), work.port(), parts);
}

std::uint32_t Notices::add(const Frame& train, PortIndex port) {
  return add(to_payload(train), port, 1);
}

std::uint32_t Notices::add(const Payload& payload, PortIndex port, std::uint32_t parts) {
  std::uint32_t number = free_;
  if (number == none) {
    number = static_cast<std::uint32_t>(notices_.size());
    notices_.emplace_back();
  } else {
    free_ = notices_[number].next;
  }
  notices_[number] = {payload, SimTime{0}, none, port, static_cast<std::uint16_t>(parts)};
  return number;
}

std::optional<Notices::Notice> Notices::part_sent(std::uint32_t number, SimTime tail) {
  Notice& notice = notices_[number];
  notice.tail = std::max(notice.tail, tail);
  if (--notice.parts > 0) return std::nullopt;
  notice.next = free_;
  free_ = number;
  return notice;
}

}  // namespace lightrail
