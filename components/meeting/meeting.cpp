#include "components/meeting/meeting.hpp"

#include <algorithm>

#include "workloads/program/peer.hpp"

namespace lightrail {

Meeting::Meeting(const BuildContext& build)
    : spec_(static_cast<const MeetingSpec&>(build.spec)),
      set_(*build.model.resource<ProgramSet>()),
      groups_(*build.model.resource<GroupTable>()),
      detail_(*build.model.resource<FormulaDetail>()),
      times_(build.model) {}

void Meeting::handle(const Event& event, PortIndex port, Context& context) {
  const auto arrived = as<meeting::Arrived>(event.payload);
  const Op& op = set_.programs[arrived.program].ops[arrived.op];
  const Guest guest{port, 0, arrived.slot, context.now() - spec_.notice, SimTime{0}};
  if (op.kind == OpKind::collective)
    join(context, op, guest);
  else
    pair_up(context, op, guest);
}

std::size_t Meeting::simulated(const CircleKey& key, const GroupView& group) {
  const auto [place, is_new] = simulated_.emplace(key, 0);
  if (is_new)
    for (std::uint32_t i = 0; i < group.size; ++i) place->second += detail_.has(group.member(i));
  return place->second;
}

void Meeting::join(Context& context, const Op& op, const Guest& guest) {
  const EndpointId self = spec_.gpus[guest.port];
  const GroupView group = groups_.group_of(op.group, self);
  const CircleKey key{op.group.value, group.member(0).value};
  std::vector<Guest>& guests = circles_[key];
  guests.push_back(guest);
  guests.back().duration = times_.of_collective(op, self);
  if (guests.size() < simulated(key, group)) return;
  const std::vector<SimTime> ends = ends_of(op, guests, group);
  for (std::size_t i = 0; i < guests.size(); ++i) tell(context, guests[i], ends[i], SimTime{0});
  circles_.erase(key);
}

/// By guest; all have come, the last one now. `op`: of one of them.
std::vector<SimTime> Meeting::ends_of(const Op& op, const std::vector<Guest>& guests,
                                      const GroupView& group) {
  const SimTime last = guests.back().at;
  std::vector<SimTime> arrived(group.size, last), ends;
  std::vector<std::uint32_t> index;
  SimTime duration{0};
  for (const Guest& each : guests) {
    index.push_back(groups_.group_of(group.kind, spec_.gpus[each.port]).my_index);
    arrived[index.back()] = each.at;
    duration = std::max(duration, each.duration);
  }
  const std::vector<SimTime> of_pairs = times_.ends_of_pairs(op, spec_.gpus[guests.back().port], arrived);
  for (const std::uint32_t i : index) ends.push_back(of_pairs.empty() ? last + duration : of_pairs[i]);
  return ends;
}

/// Takes the first of those that wait.
Meeting::Guest Meeting::take(std::map<LineKey, std::vector<Guest>>& from, const LineKey& key) {
  const auto line = from.find(key);
  const Guest first = line->second.front();
  line->second.erase(line->second.begin());
  if (line->second.empty()) from.erase(line);
  return first;
}

void Meeting::pair_up(Context& context, const Op& op, const Guest& guest) {
  const EndpointId self = spec_.gpus[guest.port], peer = peer_of(op, groups_.group_of(op.group, self));
  const bool is_send = op.kind == OpKind::send;
  const EndpointId from = is_send ? self : peer, to = is_send ? peer : self;
  const LineKey key{from.value, to.value, op.group.value, op.root};
  const FormulaTimes::Point time = times_.of_point(op, from, to);
  (is_send ? sends_ : receives_)[key].push_back(guest);
  if (is_send && !time.is_rendezvous) tell(context, guest, guest.at + time.sent, SimTime{0});
  if (!sends_.contains(key) || !receives_.contains(key)) return;
  const Guest sender = take(sends_, key), receiver = take(receives_, key);
  const SimTime begin = time.is_rendezvous ? std::max(sender.at, receiver.at) : sender.at;
  if (time.is_rendezvous) tell(context, sender, begin + time.sent, receiver.at + time.start);
  tell(context, receiver, std::max(begin + time.received, receiver.at + time.start + time.software),
       sender.at + time.start);
}

void Meeting::tell(Context& context, const Guest& guest, SimTime end, SimTime partner_at) const {
  context.send(guest.port, std::max(context.now(), end - spec_.notice),
               to_payload(meeting::Met{.slot = guest.slot, .partner_at = partner_at}));
}

void Meeting::save(StateWriter& out) const {
  out.put(circles_), out.put(sends_), out.put(receives_);
}

void Meeting::load(StateReader& in) {
  in.get(circles_), in.get(sends_), in.get(receives_);
}

std::shared_ptr<const ComponentKind> meeting_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "meeting";
  kind->doc =
      "Where GPUs meet whose communication takes what a formula says (<run detail=\"formula\">, <formula>).";
  kind->ports = {{"i", "simulated GPUs", "GPU"}};
  bind_spec(*kind, Describe<MeetingSpec>());
  kind->make = [](const BuildContext& build) { return std::make_unique<Meeting>(build); };
  return kind;
}

}  // namespace lightrail
