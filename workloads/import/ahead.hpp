#pragma once
#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace lightrail {

/// Runs `produce` on a thread of its own; `consume` gets on the caller's what it gives, in that order. At
/// most `most_waiting` items wait. What either throws ends both: an item is consumed before the producer's
/// exception that came after it, so the exception is the one that a single thread would have met.
template <class T>
void consume_behind(const std::function<void(const std::function<void(T)>& give)>& produce,
                    const std::function<void(T)>& consume, std::size_t most_waiting = 1) {
  struct Stopped {};  // thrown into the producer when nobody consumes any more
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<T> waiting;
  bool is_done = false, is_stopped = false;
  std::exception_ptr problem;
  std::thread producer([&] {
    try {
      produce([&](T item) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return waiting.size() < most_waiting || is_stopped; });
        if (is_stopped) throw Stopped();
        waiting.push_back(std::move(item));
        changed.notify_all();
      });
    } catch (const Stopped&) {
    } catch (...) {
      problem = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    is_done = true;
    changed.notify_all();
  });
  try {
    while (true) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return !waiting.empty() || is_done; });
      if (waiting.empty()) break;
      T item = std::move(waiting.front());
      waiting.pop_front();
      changed.notify_all();
      lock.unlock();
      consume(std::move(item));
    }
  } catch (...) {
    {
      const std::lock_guard lock(mutex);
      is_stopped = true;
      changed.notify_all();
    }
    producer.join();
    throw;
  }
  producer.join();
  if (problem) std::rethrow_exception(problem);
}

/// Makes items 0 ... count-1 on `threads` threads, 0: one a core, 8 at most; `take` gets them on the caller's
/// in their order. One a thread is made ahead of it. The exception of the first item in order comes
/// out, as from a single thread.
template <class T>
void in_order(std::size_t count, const std::function<T(std::size_t)>& make,
              const std::function<void(T)>& take, std::size_t threads = 0) {
  if (threads == 0) threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
  threads = std::min(threads, count);
  if (threads <= 1) {
    for (std::size_t i = 0; i < count; ++i) take(make(i));
    return;
  }
  struct Item {
    std::optional<T> made;
    std::exception_ptr problem;
  };
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Item> items(count);
  std::size_t next = 0, taken = 0;
  bool is_stopped = false;
  const auto work = [&] {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return is_stopped || next == count || next <= taken + threads; });
      if (is_stopped || next == count) return;
      const std::size_t i = next++;
      lock.unlock();
      Item item;
      try {
        item.made.emplace(make(i));
      } catch (...) {
        item.problem = std::current_exception();
      }
      lock.lock();
      items[i] = std::move(item);
      changed.notify_all();
    }
  };
  std::vector<std::thread> workers;
  for (std::size_t t = 0; t < threads; ++t) workers.emplace_back(work);
  std::exception_ptr problem;
  for (std::size_t i = 0; i < count && !problem; ++i) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return items[i].made || items[i].problem; });
    Item item = std::exchange(items[i], Item{});
    ++taken;
    changed.notify_all();
    lock.unlock();
    problem = item.problem;
    if (problem) break;
    try {
      take(std::move(*item.made));
    } catch (...) {
      problem = std::current_exception();
    }
  }
  {
    const std::lock_guard lock(mutex);
    is_stopped = true;
    changed.notify_all();
  }
  for (std::thread& worker : workers) worker.join();
  if (problem) std::rethrow_exception(problem);
}

}  // namespace lightrail
