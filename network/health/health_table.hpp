#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"
#include "network/health/outage.hpp"
#include "network/health/pace_change.hpp"
#include "network/health/port_change.hpp"

namespace lightrail {

/// Who asks about a link, and so how late it learns of a change: the ports at its two ends at once, whoever
/// sends through it after the detection time, the routing of the whole fabric after the reconvergence time.
enum class Observer : std::uint8_t { port, sender, routing };

/// Which link directions are down, when, and who knows it when, which ports of optical switches fail or
/// stick, and which GPUs stand still or are slow: the same on every rank, made before the run, never changed.
/// What fails in the course of a run because of the run itself (light that finds no circuit) is not here: it
/// is state of the port that meets it. Losses of light on a fibre, a sequence without an end, are drawn as
/// the run goes on (LightLosses).
///
/// A failed cable is an outage of both its directions, a failed device one of all its links. Costs nothing
/// where nothing fails: components ask once, when they are built.
class HealthTable {
 public:
  /// [ps], >= 0. By observer: how long a change takes to be known.
  struct Delays {
    SimTime detection{};      ///< of a sender: time-outs of its transport, its library's watch
    SimTime reconvergence{};  ///< of routing: subnet manager or BGP
    SimTime collective_timeout = time_never;  ///< of the watch over collectives: the job is ended then
  };

  /// By link, in any order; those that touch or overlap are made one.
  using Outages = std::map<LinkId, std::vector<Outage>>;
  /// By optical switch, in any order; of one moment in the order given.
  using PortChanges = std::map<ComponentId, std::vector<PortChange>>;
  /// By GPU, in any order.
  using Slowdowns = std::map<ComponentId, std::vector<Slowdown>>;

  HealthTable() = default;
  HealthTable(Delays delays, Outages outages, PortChanges changes = {}, const Slowdowns& slowdowns = {});

  [[nodiscard]] bool is_empty() const { return links_.empty() && changes_.empty() && paces_.empty(); }
  /// Whether any link ever fails.
  [[nodiscard]] bool has_outages() const { return !links_.empty(); }
  [[nodiscard]] bool has_outages(LinkId link) const { return !outages(link).empty(); }
  /// By time, disjoint; empty for a link that is always up.
  [[nodiscard]] std::span<const Outage> outages(LinkId link) const;

  /// Of an optical switch's ports, by time; empty where they all work.
  [[nodiscard]] std::span<const PortChange> port_changes(ComponentId device) const;

  /// Of a GPU's speed, by time; empty for one that is never slow.
  [[nodiscard]] std::span<const PaceChange> pace_changes(ComponentId gpu) const;
  /// GPUs that stand still at `now` and go on no more, by id, each with the time since when.
  [[nodiscard]] std::vector<std::pair<ComponentId, SimTime>> dead_gpus(SimTime now) const;
  [[nodiscard]] SimTime collective_timeout() const { return delays_.collective_timeout; }

  /// Whether `observer` takes the link for up at `now`.
  [[nodiscard]] bool is_up(LinkId link, SimTime now, Observer observer = Observer::port) const;
  /// The first moment after `now` at which what `observer` takes the link for changes; time_never: no further
  /// one.
  [[nodiscard]] SimTime next_change(LinkId link, SimTime now, Observer observer = Observer::port) const;
  /// The same of any link.
  [[nodiscard]] SimTime next_change(SimTime now, Observer observer) const;
  /// When an outage cuts off a train that has the line from `start` (>= 0) on, for `busy`: at once where the
  /// link is down then; time_never: none does.
  [[nodiscard]] SimTime cut_at(LinkId link, SimTime start, SimTime busy) const;

  [[nodiscard]] SimTime delay(Observer observer) const;

 private:
  struct Row {
    LinkId link{};
    std::uint32_t first = 0, count = 0;  ///< into all_
  };
  /// The outages of a link from the first on whose end `observer` has not seen at `now`.
  [[nodiscard]] std::span<const Outage> not_past(LinkId link, SimTime now, Observer observer) const;

  Delays delays_;
  std::vector<Row> links_;  ///< by link id
  std::vector<Outage> all_;
  std::vector<SimTime> moments_;  ///< at which any link fails or comes back, each once, in order
  PortChanges changes_;
  std::map<ComponentId, std::vector<PaceChange>> paces_;
};

}  // namespace lightrail
