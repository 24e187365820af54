#include "components/gpu/transport/waiting_requests.hpp"

namespace lightrail {
namespace {

/// One that others may grow into, and that may grow into another.
bool is_plain(const WorkRequest& work) {
  return !work.notify && !work.reduce_in_fabric && !work.is_resent && work.retries == 0;
}

}  // namespace

void WaitingRequests::add(const Request& request) {
  const std::uint64_t connection = request.work.address.word(), receiver = request.receiver.value;
  const bool may_grow = is_plain(request.work);
  if (may_grow && grow(request.work)) return;
  const std::uint32_t place = new_place();
  places_[place] = {request, none, newest_, none};
  (newest_ == none ? oldest_ : places_[newest_].newer) = place;
  newest_ = place;
  if (const std::uint32_t last = last_for_.find(receiver); last != none) places_[last].next = place;
  last_for_.at(receiver) = place;
  if (may_grow)
    growing_.at(connection) = place;
  else if (growing_.find(connection) != none)
    growing_.erase(connection);
}

bool WaitingRequests::grow(const WorkRequest& work) {
  const std::uint32_t place = growing_.find(work.address.word());
  if (place == none) return false;
  WorkRequest& same = places_[place].request.work;
  if (std::int64_t{same.bytes} + work.bytes > max_work_bytes) return false;
  same.bytes += work.bytes;
  same.is_grown = 1;
  if (work.part > same.part) same.part = work.part;
  return true;
}

std::uint32_t WaitingRequests::new_place() {
  const std::uint32_t place = free_;
  if (place == none) {
    places_.emplace_back();
    return static_cast<std::uint32_t>(places_.size() - 1);
  }
  free_ = places_[place].next;
  return place;
}

void WaitingRequests::remove(std::uint32_t place) {
  Place& gone = places_[place];
  (gone.older == none ? oldest_ : places_[gone.older].newer) = gone.newer;
  (gone.newer == none ? newest_ : places_[gone.newer].older) = gone.older;
  if (gone.next == none) last_for_.erase(gone.request.receiver.value);
  const std::uint64_t connection = gone.request.work.address.word();
  if (growing_.find(connection) == place) growing_.erase(connection);
  gone.next = free_;
  free_ = place;
}

std::int64_t WaitingRequests::drop_all() {
  std::int64_t bytes = 0;
  for (std::uint32_t place = oldest_; place != none; place = places_[place].newer)
    bytes += places_[place].request.work.bytes;
  *this = {};
  return bytes;
}

void WaitingRequests::save(StateWriter& out) const {
  out.put(places_), out.put(free_), out.put(oldest_), out.put(newest_);
  last_for_.save(out), growing_.save(out);
}

void WaitingRequests::load(StateReader& in) {
  in.get(places_), in.get(free_), in.get(oldest_), in.get(newest_);
  last_for_.load(in), growing_.load(in);
}

}  // namespace lightrail
