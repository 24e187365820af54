#include "engine/sync/rank_model.hpp"

#include <algorithm>

#include "engine/model/kind.hpp"

namespace lightrail {

RankModel::RankModel(const Model& model, const Partition& partition, int rank, RowSink& rows)
    : model_(&model), rows_(&rows), where_(model.components.size()) {
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

  places_.resize(model.links.size() + model.components.size());
  for (std::uint32_t c = 0; c < model.components.size(); ++c) {
    const ComponentRecord& record = model.components[c];
    const int owner = partition.rank_of(record);
    if (owner != rank) {
      where_[c] = remote | static_cast<std::uint32_t>(owner);
      continue;
    }
    const ComponentId id{c};
    where_[c] = size();
    Slot& slot = slots_.emplace_back();
    slot.id = id;
    slot.first_port = static_cast<std::uint32_t>(out_links_.size());
    slot.port_count = record.port_count;
    slot.self.id = model.self_link(id);
    slot.self.to = id;
    places_[slot.self.id.value] = {where_[c], self_port};
    for (std::uint32_t p = 0; p < record.port_count; ++p) {
      OutLink& out = out_links_.emplace_back();
      out.id = model.ports[record.first_port + p].out;
      if (!out.id.is_valid()) continue;
      const LinkRecord& link = model.links[out.id.value];
      const LinkClass& link_class = model.link_classes[link.link_class];
      out.latency = link_class.latency;
      out.rate = link_class.rate;
      out.to = link.to;
      out.link_class = link.link_class;
    }
  }
  for (std::uint32_t l = 0; l < model.links.size(); ++l) {
    const std::uint32_t to = where_[model.links[l].to.value];
    if (!(to & remote)) places_[l] = {to, model.links[l].to_port};
  }
  for (Slot& slot : slots_) {
    const ComponentRecord& record = model.components[slot.id.value];
    slot.component = model.kinds[record.kind]->make({slot.id, record, *model.specs[record.spec], model});
    LIGHTRAIL_EXPECT(slot.component != nullptr);
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

std::uint64_t RankModel::hash() const {
  std::uint64_t all = 0;
  for (const Slot& slot : slots_) all ^= keyed_hash(slot.hash, slot.id);
  return all;
}

}  // namespace lightrail
