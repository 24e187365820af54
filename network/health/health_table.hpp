#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"
#include "network/health/outage.hpp"

namespace lightrail {

/// Who asks about a link, and so how late it learns of a change: the ports at its two ends at once, whoever
/// sends through it after the detection time, the routing of the whole fabric after the reconvergence time.
enum class Observer : std::uint8_t { port, sender, routing };

/// Which link directions are down, when, and who knows it when: the same on every rank, made before the run,
/// never changed. What fails in the course of a run because of the run itself (light that finds no circuit)
/// is not here: it is state of the port that meets it.
///
/// A failed cable is an outage of both its directions, a failed device one of all its links. Costs nothing
/// where nothing fails: components ask has_outages() once, when they are built.
class HealthTable {
 public:
  /// [ps], >= 0. By observer: how long a change takes to be known.
  struct Delays {
    SimTime detection{};      ///< of a sender: time-outs of its transport, its library's watch
    SimTime reconvergence{};  ///< of routing: subnet manager or BGP
  };

  HealthTable() = default;
  /// Outages of each link, in any order; those that touch or overlap are made one.
  HealthTable(Delays delays, std::map<LinkId, std::vector<Outage>> outages);

  [[nodiscard]] bool is_empty() const { return links_.empty(); }
  [[nodiscard]] bool has_outages(LinkId link) const { return !outages(link).empty(); }
  /// By time, disjoint; empty for a link that is always up.
  [[nodiscard]] std::span<const Outage> outages(LinkId link) const;

  /// Whether `observer` takes the link for up at `now`.
  [[nodiscard]] bool is_up(LinkId link, SimTime now, Observer observer = Observer::port) const;
  /// The first moment after `now` at which what `observer` takes the link for changes; time_never: no further
  /// one.
  [[nodiscard]] SimTime next_change(LinkId link, SimTime now, Observer observer = Observer::port) const;
  /// When an outage cuts off a train that has the line from `start` (>= 0) on, for `busy`: at once where the
  /// link is down then; time_never: none does.
  [[nodiscard]] SimTime cut_at(LinkId link, SimTime start, SimTime busy) const;

  [[nodiscard]] SimTime delay(Observer observer) const;

 private:
  struct Row {
    LinkId link{};
    std::uint32_t first = 0, count = 0;  ///< into all_
  };
  Delays delays_;
  std::vector<Row> links_;  ///< by link id
  std::vector<Outage> all_;
};

}  // namespace lightrail
