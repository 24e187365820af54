#include "components/gpu/transport/proxy_queue.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace lightrail {

void ProxyQueue::post(Context& context, SimTime ready, const Request& request) {
  const auto sooner = [](SimTime time, const Coming& other) { return time < other.ready; };
  coming_.insert(std::upper_bound(coming_.begin(), coming_.end(), ready, sooner), {request, ready});
  pump(context);
}

void ProxyQueue::on_wake(Context& context) {
  if (wake_at_ == context.now()) wake_at_ = time_never;
  pump(context);
}

std::int64_t ProxyQueue::drop_all() {
  std::int64_t bytes = waiting_.drop_all();
  for (const Coming& coming : coming_) bytes += coming.request.work.bytes;
  coming_.clear();
  return bytes;
}

void ProxyQueue::pump(Context& context) {
  auto first = coming_.begin();
  for (; first != coming_.end() && first->ready <= context.now(); ++first) waiting_.add(first->request);
  coming_.erase(coming_.begin(), first);
  if (!waiting_.is_empty() && free_at_ <= context.now()) post_batch(context);
  if (is_idle()) return;
  const SimTime next = waiting_.is_empty() ? std::max(free_at_, coming_.front().ready) : free_at_;
  if (wake_at_ <= next) return;
  wake_at_ = next;
  context.wake(next, wake_);
}

void ProxyQueue::post_batch(Context& context) {
  // Up to the first request too many: a part of it does not overtake it.
  std::uint32_t requests = 0, end = waiting_.oldest();
  for (; end != WaitingRequests::none; end = waiting_.next(end)) {
    if (waiting_[end].share == Share::part) continue;
    if (requests == aggregate_) break;
    ++requests;
  }
  free_at_ = context.now();
  if (requests > 0) free_at_ += overhead_ + (requests - 1) * progress_;
  for (std::uint32_t place = waiting_.oldest(); place != end;) {
    context.send(waiting_[place].nic, free_at_, to_payload(waiting_[place].work));
    waiting_.remove(std::exchange(place, waiting_.next(place)));
  }
}

}  // namespace lightrail
