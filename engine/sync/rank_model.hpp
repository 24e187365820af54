#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/model/component.hpp"
#include "engine/model/model.hpp"
#include "engine/partition/partition.hpp"
#include "engine/sync/event_hash.hpp"

namespace lightrail {

/// One rank's components, built, with the sending sides of their links. Local indices follow the global ids.
class RankModel {
 public:
  /// The component and port at the far end of a directed link, if it is on this rank.
  struct Place {
    std::uint32_t local = 0;
    PortIndex port = 0;
  };

  /// Builds this rank's components. Throws InputErrors for a link whose latency is below 1 ps.
  RankModel(const Model& model, const Partition& partition, int rank, RowSink& rows);

  std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }
  ComponentId id_of(std::uint32_t local) const { return slots_[local].id; }
  Component& component(std::uint32_t local) { return *slots_[local].component; }
  const Model& model() const { return *model_; }
  Place place_of(LinkId link) const { return places_[link.value]; }

  /// Local index of a component of this rank; for others `remote` plus their rank; for no component
  /// `nowhere`.
  std::uint32_t where(ComponentId id) const { return id.value < where_.size() ? where_[id.value] : nowhere; }
  static constexpr std::uint32_t remote = 0x80000000u;
  static constexpr std::uint32_t nowhere = 0xffffffffu;

  /// Smallest latency of any link of the model; time_never without links. The same on every rank.
  SimTime smallest_latency() const { return smallest_latency_; }

  void start(std::uint32_t local, EventSink& events) {
    Context call = context(local, SimTime{0}, events);
    slots_[local].component->start(call);
  }
  void finish(std::uint32_t local, SimTime end, EventSink& events) {
    Context call = context(local, end, events);
    slots_[local].component->finish(call);
  }
  void handle(std::uint32_t local, const Event& event, EventSink& events) {
    Slot& slot = slots_[local];
    slot.hash = extend_hash(slot.hash, event);
    Context call = context(local, event.time, events);
    slot.component->handle(event, places_[event.link.value].port, call);
  }
  void prefetch_slot(std::uint32_t local) const { __builtin_prefetch(&slots_[local]); }
  /// Needs the slot to be near; also fetches the place of a link.
  void prefetch_component(std::uint32_t local, LinkId link) const {
    const Slot& slot = slots_[local];
    __builtin_prefetch(slot.component.get());
    const OutLink* ports = out_links_.data() + slot.first_port;
    for (std::uint32_t p = 0; p < slot.port_count && p < 8; p += 2) __builtin_prefetch(ports + p, 1);
    __builtin_prefetch(&places_[link.value]);
  }
  /// A component's state, how many events it sent on each link, and its hash.
  void save(std::uint32_t local, StateWriter& out) const;
  void load(std::uint32_t local, StateReader& in);
  /// Of all events handled so far by this rank's components; ranks combine by exclusive or.
  std::uint64_t hash() const;

 private:
  struct alignas(64) Slot {  // one cache line
    std::unique_ptr<Component> component;
    std::uint64_t hash = 0;
    OutLink self{};
    std::uint32_t first_port = 0;
    ComponentId id{};
    PortIndex port_count = 0;
  };
  Context context(std::uint32_t local, SimTime now, EventSink& events) {
    Slot& slot = slots_[local];
    return Context(slot.id, now, {out_links_.data() + slot.first_port, slot.port_count}, slot.self, events,
                   *rows_);
  }

  const Model* model_;
  RowSink* rows_;
  std::vector<Slot> slots_;
  std::vector<OutLink> out_links_;
  std::vector<Place> places_;         ///< by directed link, self links included
  std::vector<std::uint32_t> where_;  ///< by component
  SimTime smallest_latency_ = time_never;
};

}  // namespace lightrail
