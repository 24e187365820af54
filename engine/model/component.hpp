#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/prefetch.hpp"
#include "engine/model/context.hpp"
#include "engine/model/event_batch.hpp"
#include "engine/model/hot_lines.hpp"
#include "engine/model/state_io.hpp"

namespace lightrail {

/// A simulated device. While it runs it sees its ports and its own state, never another component; what it
/// must know of the system it reads from the Model when it is built. Derived classes are final; everything
/// that never changes sits in an immutable Spec, everything that changes in plain values that save() and
/// load() carry.
class Component {
 public:
  Component() = default;
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  virtual ~Component() = default;

  /// Called once, at time 0, before the first event.
  virtual void start(Context&) {}
  /// One event; `port` is the port it came in on, or self_port.
  virtual void handle(const Event& event, PortIndex port, Context& context) = 0;
  /// The events of one slice. Hot kinds override this by the same loop, in which handle() is then no virtual
  /// call, and fetch memory ahead. What comes of it must be what handle() makes of every single event.
  virtual void handle_all(EventBatch& batch) {
    batch.for_each(
        [this](const Event& event, PortIndex port, Context& context) { handle(event, port, context); });
  }
  /// Adds what prefetch() reads of this object, and what every event touches; called once. The object's first
  /// line is added anyway. Without: the first hot_bytes of its kind.
  virtual void tell_hot(HotLines&) const {}
  /// A hint that `events`, in order, come soon: the place to fetch own memory ahead, and of its `links`, by
  /// port, those that it will send on. Must not read what it fetches.
  virtual void prefetch(std::span<const Delivery> /*events*/, std::span<const OutLink> links) const {
    prefetch_lines(links.data(), links.size_bytes());
  }
  /// Called once after the last event; the place for totals and their rows.
  virtual void finish(Context&) {}
  /// Before that, for what all components have to agree on then: each raises a figure where its own is
  /// larger, and adds those that lack (as INT64_MIN).
  virtual void raise_largest(std::vector<std::int64_t>&) const {}
  /// The largest of all components, if any has raised one.
  virtual void hear_largest(std::span<const std::int64_t>) {}
  /// After that: what the run stands for, as far as this component knows; every one that knows more than what
  /// was simulated says the same.
  [[nodiscard]] virtual WholeRun whole_run() const { return {}; }

  /// What this component still waits for, one sentence an item ("op 17 all_reduce tp: no data from gpu 3").
  /// Empty: nothing. When no event is left anywhere and some component waits, the run ends as a deadlock.
  [[nodiscard]] virtual std::vector<std::string> waits_for() const { return {}; }

  /// Whether its own event, which waits or has just come in, is a timer behind which nothing waits, so that
  /// to handle it is to do nothing: that of a link that goes down once all is sent. Such events do not
  /// prolong a run; a component that has them says so once more when it has handled one
  /// (Context::count_as_idle).
  [[nodiscard]] virtual bool is_idle_wake(const Event&) const { return false; }

  /// The whole mutable state, in a fixed order, without pointers.
  virtual void save(StateWriter& out) const = 0;
  virtual void load(StateReader& in) = 0;
};

}  // namespace lightrail
