#include "components/gpu/transport/proxy_queue.hpp"

#include <algorithm>

namespace lightrail {
namespace {

/// One that others may grow into, and that may grow into another.
bool is_plain(const WorkRequest& work) {
  return !work.notify && !work.reduce_in_fabric && !work.is_resent && work.retries == 0;
}

}  // namespace

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
  std::int64_t bytes = 0;
  for (const Request& request : pending_) bytes += request.work.bytes;
  for (const Coming& coming : coming_) bytes += coming.request.work.bytes;
  pending_.clear(), coming_.clear();
  return bytes;
}

void ProxyQueue::pump(Context& context) {
  auto first = coming_.begin();
  for (; first != coming_.end() && first->ready <= context.now(); ++first)
    if (!merge(first->request)) pending_.push_back(first->request);
  coming_.erase(coming_.begin(), first);
  if (!pending_.empty() && free_at_ <= context.now()) post_batch(context);
  if (is_idle()) return;
  const SimTime next = pending_.empty() ? std::max(free_at_, coming_.front().ready) : free_at_;
  if (wake_at_ <= next) return;
  wake_at_ = next;
  context.wake(next, wake_);
}

bool ProxyQueue::merge(const Request& request) {
  const WorkRequest& work = request.work;
  auto same = std::find_if(pending_.rbegin(), pending_.rend(),
                           [&](const Request& r) { return r.work.address == work.address; });
  if (same == pending_.rend() || !is_plain(same->work) || !is_plain(work) ||
      std::int64_t{same->work.bytes} + work.bytes > max_work_bytes)
    return false;
  same->work.bytes += work.bytes;
  same->work.is_grown = 1;
  if (work.part > same->work.part) same->work.part = work.part;
  return true;
}

void ProxyQueue::post_batch(Context& context) {
  const EndpointId to = pending_.front().receiver;
  const auto same = std::count_if(pending_.begin(), pending_.end(), [&](const Request& request) {
    return request.receiver == to && request.share == Share::request;
  });
  free_at_ = context.now();
  if (same > 0) free_at_ += overhead_ + (std::min<std::int64_t>(same, aggregate_) - 1) * progress_;
  std::uint32_t posted = 0;
  bool is_full = false;  // a part of what is left for the next batch does not overtake it
  auto is_posted = [&](const Request& request) {
    if (request.receiver != to || is_full) return false;
    const bool is_part = request.share == Share::part;
    is_full = !is_part && posted == aggregate_;
    if (is_full) return false;
    if (!is_part) ++posted;
    context.send(request.nic, free_at_, to_payload(request.work));
    return true;
  };
  pending_.erase(std::remove_if(pending_.begin(), pending_.end(), is_posted), pending_.end());
}

}  // namespace lightrail
