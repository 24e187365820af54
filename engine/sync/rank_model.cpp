#include "engine/sync/rank_model.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "engine/model/kind.hpp"

namespace lightrail {

RankModel::RankModel(const Model& model, const Partition& partition, int rank, RowSink& rows)
    : model_(&model), rows_(rows), where_(model.components.size()) {
  LIGHTRAIL_EXPECT(model.links.size() + model.components.size() < LinkId::none);
  std::vector<bool> is_used(model.link_classes.size(), false);
  for (const LinkRecord& link : model.links) is_used.at(link.link_class) = true;
  for (std::size_t c = 0; c < is_used.size(); ++c) {
    if (!is_used[c]) continue;
    const LinkClass& link_class = model.link_classes[c];
    if (link_class.latency < SimTime{1})
      throw InputErrors(InputError{"", 0,
                                   "link class '" + link_class.name + "': latency " +
                                       std::to_string(link_class.latency.count()) +
                                       " ps (every link needs at least 1 ps)"});
    smallest_latency_ = std::min(smallest_latency_, link_class.latency);
  }

  place(make_tiles(model, partition, rank));
  for (std::uint32_t c = 0; c < model.components.size(); ++c) {
    const int owner = partition.rank_of(model.components[c]);
    if (owner != rank)
      where_[c] = remote | static_cast<std::uint32_t>(owner);
    else
      places_.push_back(where_[c]);
  }
  for (OutLink& out : out_links_)
    if (out.id.is_valid()) out.place = where_[out.to.value];
  for (const std::uint32_t place : places_) {
    Slot& slot = slots_[place];
    const ComponentRecord& record = model.components[slot.id.value];
    slot.component = model.kinds[record.kind]->make({slot.id, record, *model.specs[record.spec], model});
    slot.prefetches = model.kinds[record.kind]->prefetches;
    LIGHTRAIL_EXPECT(slot.component != nullptr);
    slot.hot = hot_lines_of(*slot.component, model.kinds[record.kind]->hot_bytes);
    for (std::uint32_t p = 0; p < slot.port_count; ++p)
      if (const OutLink& out = out_links_[slot.first_port + p]; out.id.is_valid() && (out.place & remote))
        interior_start_ = std::max(interior_start_, place + 1);
  }
}

RankModel::HotOffsets::HotOffsets(std::uint64_t lines) {
  for (; lines != 0; lines &= lines - 1)
    bytes[count++] = static_cast<std::uint16_t>(64 * std::countr_zero(lines));
  if (count % 2 != 0) bytes[count] = bytes[count - 1], ++count;
}

std::uint8_t RankModel::hot_lines_of(const Component& component, std::uint32_t hot_bytes) {
  HotLines hot(&component);
  component.tell_hot(hot);
  if (hot.lines() == 0) hot.add(&component, hot_bytes);
  hot.add(&component, 1);
  const auto known = std::find(hot_lines_.begin(), hot_lines_.end(), hot.lines());
  const auto index = known - hot_lines_.begin();
  if (index > std::numeric_limits<std::uint8_t>::max()) return 0;  // what is fetched in vain costs little
  if (known == hot_lines_.end()) {
    hot_lines_.push_back(hot.lines());
    hot_offsets_.emplace_back(hot.lines());
  }
  return static_cast<std::uint8_t>(index);
}

void RankModel::place(const Tiles& tiles) {
  tile_width_ = tiles.width;
  for (const std::vector<ComponentId>& members : tiles.members) {
    slots_.resize((slots_.size() + tile_alignment - 1) / tile_alignment * tile_alignment);
    tile_starts_.push_back(static_cast<std::uint32_t>(slots_.size()));
    for (const ComponentId id : members) add(id);
  }
  tile_starts_.push_back(static_cast<std::uint32_t>(slots_.size()));
}

void RankModel::add(ComponentId id) {
  const ComponentRecord& record = model_->components[id.value];
  const auto place = static_cast<std::uint32_t>(slots_.size());
  where_[id.value] = place;
  Slot& slot = slots_.emplace_back();
  slot.id = id;
  if (record.port_count > 1) out_links_.resize((out_links_.size() + 1) / 2 * 2);  // two links are a line
  slot.first_port = static_cast<std::uint32_t>(out_links_.size());
  slot.port_count = record.port_count;
  slot.self.id = model_->self_link(id);
  slot.self.to = id;
  slot.self.place = place;
  slot.self.to_port = self_port;
  for (std::uint32_t p = 0; p < record.port_count; ++p) {
    OutLink& out = out_links_.emplace_back();
    out.id = model_->ports[record.first_port + p].out;
    out.place = nowhere;
    if (!out.id.is_valid()) continue;
    const LinkRecord& link = model_->links[out.id.value];
    out.latency = model_->link_classes[link.link_class].latency;
    out.to = link.to;
    out.to_port = link.to_port;
    out.link_class = link.link_class;
  }
}

void RankModel::save(std::uint32_t local, StateWriter& out) const {
  const Slot& slot = slots_[local];
  out.put(slot.hash), out.put(slot.self.next_tie);
  for (std::uint32_t p = 0; p < slot.port_count; ++p) out.put(out_links_[slot.first_port + p].next_tie);
  StateWriter state;
  slot.component->save(state);
  out.put(state);
}

void RankModel::load(std::uint32_t local, StateReader& in) {
  Slot& slot = slots_[local];
  in.get(slot.hash), in.get(slot.self.next_tie);
  for (std::uint32_t p = 0; p < slot.port_count; ++p) in.get(out_links_[slot.first_port + p].next_tie);
  std::vector<std::byte> bytes;
  in.get(bytes);
  StateReader state(bytes);
  try {
    slot.component->load(state);
  } catch (const InputErrors& e) {  // the bytes are those that were saved: save() and load() differ
    throw ContractError(model_->component_name(slot.id) + ": " + e.what());
  }
  if (!state.is_at_end()) throw ContractError(model_->component_name(slot.id) + ": load() left state unread");
}

Delivery RankModel::deliver(const Event& event) const {
  const auto links = static_cast<std::uint32_t>(model_->links.size());
  if (event.link.value >= links) return {event, where_[event.link.value - links], self_port, 0};
  const LinkRecord& link = model_->links[event.link.value];
  return {event, where_[link.to.value], link.to_port, 0};
}

void RankModel::finish(std::uint32_t local, SimTime end, const WholeRun& whole, EventSink& events) {
  Context call = context(local, end, events, whole);
  rows_.during(&call);
  try {
    slots_[local].component->finish(call);
  } catch (...) {
    rows_.during(nullptr);
    rows_.drop();
    throw;
  }
  rows_.during(nullptr);
  rows_.hand_over();
}

std::uint64_t RankModel::hash() const {
  std::uint64_t all = 0;
  for (const std::uint32_t place : places_) all ^= keyed_hash(slots_[place].hash, slots_[place].id);
  return all;
}

}  // namespace lightrail
