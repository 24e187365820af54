#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>

#include "engine/base/error.hpp"
#include "engine/model/event.hpp"
#include "engine/model/whole_run.hpp"

namespace lightrail {

/// A component's port, local index 0, 1, ... in the order of its ports in the model.
using PortIndex = std::uint16_t;

/// The port index that `handle` sees for events a component sent to itself.
inline constexpr PortIndex self_port = 0xffff;

/// The sending side of one directed link. Never across two cache lines.
struct alignas(32) OutLink {
  SimTime latency{};
  LinkId id{};
  ComponentId to{};
  std::uint32_t next_tie = 0;
  std::uint32_t place = 0;       ///< the engine's own: where `to` is held
  PortIndex to_port = 0;         ///< the port at `to`
  std::uint16_t link_class = 0;  ///< index into Model::link_classes
};

/// An event with where it goes, as an engine keeps it while it waits.
struct Delivery {
  Event event{};
  std::uint32_t place = 0;  ///< of OutLink
  PortIndex port = 0;       ///< at the destination
  std::uint16_t unused = 0;
};

using TableId = std::uint16_t;

/// Takes events from the running component and files them. Implemented by each engine.
class EventSink {
 public:
  /// Files Event{time, link.id, tie, payload}; `link` is the one that it was sent on.
  virtual void push(SimTime time, std::uint32_t tie, Payload payload, const OutLink& link) = 0;

 protected:
  ~EventSink() = default;
};

/// Takes table rows. Values are int64, or doubles by std::bit_cast, as the table's columns say; `component`
/// and `time` are stored by the recorder itself. Rows of one component keep their order.
class RowSink {
 public:
  virtual void append(TableId table, ComponentId component, SimTime time,
                      std::span<const std::int64_t> row) = 0;

 protected:
  ~RowSink() = default;
};

/// What a component may do while it handles an event. Valid only during the call.
class Context {
 public:
  Context(ComponentId self, SimTime now, std::span<OutLink> ports, OutLink& self_link, EventSink& events,
          RowSink& rows, const WholeRun& whole_run = as_simulated)
      : self_(self),
        now_(now),
        ports_(ports),
        self_link_(&self_link),
        events_(&events),
        rows_(&rows),
        whole_run_(&whole_run) {}

  [[nodiscard]] ComponentId self() const { return self_; }
  [[nodiscard]] SimTime now() const { return now_; }
  [[nodiscard]] std::size_t port_count() const { return ports_.size(); }
  [[nodiscard]] const OutLink& link(PortIndex port) const { return ports_[port]; }

  /// The payload leaves `port` at `departure` (>= now) and arrives one link latency later.
  [[gnu::always_inline]] void send(PortIndex port, SimTime departure, const Payload& payload) {
    LIGHTRAIL_EXPECT(departure >= now_ && port < ports_.size());
    put(ports_[port], departure, payload);
  }
  /// The component's own event at `at` (>= now); `handle` sees it on `self_port`.
  void wake(SimTime at, const Payload& payload) {
    LIGHTRAIL_EXPECT(at >= now_);
    put(*self_link_, at, payload);
  }
  /// The event at hand was an idle wake (Component::is_idle_wake): should it be among the run's last, the run
  /// ended before it. The last call of its handling: now() is no longer its time.
  void count_as_idle() { now_ = before_; }
  /// In Component::finish(): what the run stands for; now() is its end.
  [[nodiscard]] const WholeRun& whole_run() const { return *whole_run_; }
  /// One value a column of the table, in their order; another number ends the run (exit code 3).
  void record(TableId table, std::span<const std::int64_t> row) { rows_->append(table, self_, now_, row); }
  /// For rows whose own time is not now (an operation's start, written when it ends).
  void record_at(SimTime time, TableId table, std::span<const std::int64_t> row) {
    rows_->append(table, self_, time, row);
  }

 private:
  friend class EventBatch;
  [[gnu::always_inline]] void put(OutLink& link, SimTime departure, const Payload& payload) {
    events_->push(departure + link.latency, link.next_tie++, payload, link);
  }
  ComponentId self_;
  SimTime now_;
  SimTime before_{0};  ///< of the last event in this batch, before the one at hand, that was no idle wake
  std::span<OutLink> ports_;
  OutLink* self_link_;
  EventSink* events_;
  RowSink* rows_;
  const WholeRun* whole_run_;
};

}  // namespace lightrail
