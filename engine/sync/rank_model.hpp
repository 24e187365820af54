#pragma once
#include <array>
#include <boost/align/aligned_allocator.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/prefetch.hpp"
#include "engine/model/component.hpp"
#include "engine/model/model.hpp"
#include "engine/partition/tiles.hpp"
#include "engine/sync/held_rows.hpp"

namespace lightrail {

/// One rank's components, built, with the sending sides of their links. Each has a place: places go tile by
/// tile and by id inside a tile; some between tiles are empty. `OutLink::place` is that of the destination on
/// this rank, else `remote` plus its rank.
class RankModel {
 public:
  /// Builds this rank's components. Throws InputErrors for a link whose latency is below 1 ps.
  RankModel(const Model& model, const Partition& partition, int rank, RowSink& rows);

  /// Places of this rank's components, in the order of ids.
  [[nodiscard]] const std::vector<std::uint32_t>& places() const { return places_; }
  /// First place of each tile, a multiple of tile_alignment, then the end of the last. A tile can run for
  /// tile_width() by itself.
  [[nodiscard]] const std::vector<std::uint32_t>& tile_starts() const { return tile_starts_; }
  [[nodiscard]] SimTime tile_width() const { return tile_width_; }
  static constexpr std::uint32_t tile_alignment = 256;
  /// No component from this place on has a link to another rank; 0: none has.
  [[nodiscard]] std::uint32_t interior_start() const { return interior_start_; }
  [[nodiscard]] ComponentId id_of(std::uint32_t local) const { return slots_[local].id; }
  Component& component(std::uint32_t local) { return *slots_[local].component; }
  [[nodiscard]] const Model& model() const { return *model_; }

  static constexpr std::uint32_t remote = 0x80000000u;
  static constexpr std::uint32_t nowhere = 0xffffffffu;  ///< of a port that is not connected

  /// Where an event goes that came over a link; self links included.
  [[nodiscard]] Delivery deliver(const Event& event) const;

  /// Smallest latency of any link of the model; time_never without links. The same on every rank.
  [[nodiscard]] SimTime smallest_latency() const { return smallest_latency_; }

  void start(std::uint32_t local, EventSink& events) {
    Context call = context(local, SimTime{0}, events);
    slots_[local].component->start(call);
  }
  /// The rows of a component that throws are dropped. `end`: of the whole run.
  void finish(std::uint32_t local, SimTime end, const WholeRun& whole, EventSink& events);
  /// Returns the time up to which there was work: that of the event, or 0 where it was an idle wake.
  SimTime handle(const Delivery& delivery, EventSink& events) {
    Slot& slot = slots_[delivery.place];
    slot.hash = extend_hash(slot.hash, delivery.event);
    Context call = context(delivery.place, delivery.event.time, events);
    slot.component->handle(delivery.event, delivery.port, call);
    return call.now();
  }
  /// Whether the event, which waits, is no reason to go on (Component::is_idle_wake).
  [[nodiscard]] bool is_idle_wake(const Delivery& delivery) const {
    return delivery.port == self_port && slots_[delivery.place].component->is_idle_wake(delivery.event);
  }
  /// Handles `known`, which is not empty and in order, and what the component files in `own` meanwhile.
  /// Returns how many. `now` is the time of the last that was no idle wake, 0 where all were; should an event
  /// fail, its time. Rows are held (rows()).
  [[gnu::always_inline]] std::int64_t handle_all(std::uint32_t local, std::span<const Delivery> known,
                                                 OwnEvents& own, EventSink& events, SimTime& now) {
    Slot& slot = slots_[local];
    Context call = context(local, SimTime{0}, events);
    EventBatch batch(call, known, own, slot.hash);
    rows_.during(&call);
    try {
      slot.component->handle_all(batch);
    } catch (...) {
      rows_.during(nullptr);
      now = batch.handled() > 0 ? call.now() : known.front().event.time;
      throw;
    }
    rows_.during(nullptr);
    now = call.now();
    return batch.handled();
  }

  HeldRows& rows() { return rows_; }

  void prefetch_slot(std::uint32_t local) const { prefetch_line(&slots_[local]); }
  /// Needs the slot to be near.
  void prefetch_component(std::uint32_t local) const {
    const Slot& slot = slots_[local];
    const char* object = reinterpret_cast<const char*>(slot.component.get());
    const HotOffsets& hot = hot_offsets_[slot.hot];
    for (std::uint32_t i = 0; i < hot.count; i += 2) {
      prefetch_line(object + hot.bytes[i]);
      prefetch_line(object + hot.bytes[i + 1]);
    }
  }
  /// Needs the component to be near.
  void prefetch_state(std::uint32_t local, std::span<const Delivery> events) const {
    const Slot& slot = slots_[local];
    const std::span<const OutLink> links(out_links_.data() + slot.first_port, slot.port_count);
    if (slot.prefetches) return slot.component->prefetch(events, links);
    prefetch_lines(links.data(), links.size_bytes());
  }
  /// A component's state, how many events it sent on each link, and its hash.
  void save(std::uint32_t local, StateWriter& out) const;
  void load(std::uint32_t local, StateReader& in);
  /// Of all events handled so far by this rank's components; ranks combine by exclusive or.
  [[nodiscard]] std::uint64_t hash() const;

 private:
  struct alignas(64) Slot {  // one cache line; without component: an empty place
    std::unique_ptr<Component> component;
    std::uint64_t hash = 0;
    std::uint32_t first_port = 0;
    ComponentId id{};
    PortIndex port_count = 0;
    std::uint8_t hot = 0;     ///< of hot_lines_
    bool prefetches = false;  ///< of the kind: the object is not touched in vain
    OutLink self{};
  };
  static_assert(sizeof(Slot) == 64);
  struct HotOffsets {  // of the same lines, an even number: the last may be there twice
    std::uint32_t count = 0;
    std::array<std::uint16_t, 64> bytes{};
    explicit HotOffsets(std::uint64_t lines);
  };
  void place(const Tiles& tiles);
  void add(ComponentId id);
  [[nodiscard]] std::uint8_t hot_lines_of(const Component& component, std::uint32_t hot_bytes);
  Context context(std::uint32_t local, SimTime now, EventSink& events, const WholeRun& whole = as_simulated) {
    Slot& slot = slots_[local];
    return Context(slot.id, now, {out_links_.data() + slot.first_port, slot.port_count}, slot.self, events,
                   rows_, whole);
  }

  const Model* model_;
  HeldRows rows_;
  std::vector<Slot> slots_;               // by place
  std::vector<std::uint64_t> hot_lines_;  // of objects (HotLines), each set once
  std::vector<HotOffsets> hot_offsets_;   // likewise
  std::vector<std::uint32_t> places_, tile_starts_;
  SimTime tile_width_ = time_never;
  std::uint32_t interior_start_ = 0;
  std::vector<OutLink, boost::alignment::aligned_allocator<OutLink, 64>> out_links_;
  std::vector<std::uint32_t> where_;  ///< by component
  SimTime smallest_latency_ = time_never;
};

}  // namespace lightrail
