#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/context.hpp"
#include "engine/model/event_hash.hpp"

namespace lightrail {

/// Events that the component at work sent itself within the slice that runs; the first is at the front.
class OwnEvents {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const Event& front() const { return heap_.front(); }
  void push(const Event& event) {
    heap_.push_back(event);
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  /// What it returns lasts until the next call.
  const Event& pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    popped_ = heap_.back();
    heap_.pop_back();
    return popped_;
  }
  void clear() { heap_.clear(); }

 private:
  [[nodiscard]] static bool later(const Event& x, const Event& y) { return comes_before(y, x); }
  std::vector<Event> heap_;
  Event popped_;
};

/// The events of one component in one slice, in order; those that it sends itself meanwhile come in between.
class EventBatch {
 public:
  EventBatch(Context& context, std::span<const Delivery> known, OwnEvents& own, std::uint64_t& hash)
      : context_(&context), next_(known.data()), end_(next_ + known.size()), own_(&own), hash_(&hash) {}

  /// Goes on to the next event; false: there is none.
  bool next() {
    if (!own_->empty() && (next_ == end_ || comes_before(own_->front(), next_->event))) {
      event_ = &own_->pop();
      port_ = self_port;
    } else {
      if (next_ == end_) return false;
      event_ = &next_->event;
      port_ = next_->port;
      ++next_;
    }
    ++handled_;
    context_->before_ = context_->now_;
    context_->now_ = event_->time;
    *hash_ = extend_hash(*hash_, *event_);
    return true;
  }
  /// handle(event, port, context) for all of them, and faster so than by next().
  template <class Handle>
  [[gnu::always_inline]] void for_each(Handle&& handle) {
    Context& context = *context_;
    std::uint64_t hash = *hash_;
    for (const Delivery* known = next_;;) {
      const Event* event = nullptr;
      PortIndex port = self_port;
      if (!own_->empty() && (known == end_ || comes_before(own_->front(), known->event))) [[unlikely]] {
        event = &own_->pop();
      } else {
        if (known == end_) break;
        event = &known->event;
        port = known->port;
        ++known;
      }
      ++handled_;
      context.before_ = context.now_;
      context.now_ = event->time;
      *hash_ = hash = extend_hash(hash, *event);
      handle(*event, port, context);
    }
    next_ = end_;
  }
  [[nodiscard]] const Event& event() const { return *event_; }
  [[nodiscard]] PortIndex port() const { return port_; }
  Context& context() { return *context_; }

  /// Events still to come that are known now, in order: for fetching what they need ahead.
  [[nodiscard]] std::span<const Delivery> ahead() const { return {next_, end_}; }
  [[nodiscard]] std::int64_t handled() const { return handled_; }

 private:
  Context* context_;
  const Delivery *next_, *end_;
  OwnEvents* own_;
  std::uint64_t* hash_;
  const Event* event_ = nullptr;
  PortIndex port_ = self_port;
  std::int64_t handled_ = 0;
};

}  // namespace lightrail
