#include "workloads/collective/formula_times.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <variant>

#include "engine/base/transfer_time.hpp"
#include "workloads/collective/exchange_share.hpp"
#include "workloads/collective/formula_detail.hpp"
#include "workloads/collective/pair_lines.hpp"
#include "workloads/collective/ring.hpp"

namespace lightrail {
namespace {

SimTime line(std::int64_t bytes, BitRate rate) {
  return bytes == 0 || rate.value == 0 ? SimTime{0} : transfer_time(Bytes{bytes}, rate);
}

SimTime from_seconds(double seconds) {
  return SimTime{std::llround(seconds * 1e12)};
}

}  // namespace

struct FormulaTimes::Load {
  std::array<std::int64_t, 2> out{}, in{};  ///< on the wire: inside the server, to others [B]
  std::int64_t posts = 0;                   ///< messages to others
  bool is_by_rail = true;                   ///< all of these go to GPUs on the member's own rail

  void send(const Member& member, EndpointId peer, std::int64_t wire) {
    add(out, member.medium(peer), wire);
    if (wire == 0 || member.medium(peer) != Medium::net) return;
    ++posts;
    is_by_rail &= member.is_on_rail(peer);
  }
  void receive(const Member& member, EndpointId peer, std::int64_t wire) {
    add(in, member.medium(peer), wire);
  }
  void add(const Load& more) {
    for (const std::size_t side : {0, 1}) out[side] += more.out[side], in[side] += more.in[side];
    posts += more.posts;
    is_by_rail &= more.is_by_rail;
  }
  /// Of the busiest line; `on_nic` members, alike, share one to other servers.
  [[nodiscard]] SimTime on_lines(const GroupPlan& plan, std::int64_t on_nic) const {
    return std::max(line(std::max(out[0], in[0]), plan.local_rate),
                    line(on_nic * std::max(out[1], in[1]), plan.net_rate));
  }
  [[nodiscard]] SimTime posting(const GroupPlan& plan, std::int64_t members) const {
    return posting_time(plan, posts, is_by_rail, members);
  }

 private:
  static void add(std::array<std::int64_t, 2>& to, Medium medium, std::int64_t wire) {
    if (medium != Medium::local) to[medium == Medium::net ? 1 : 0] += wire;
  }
};

bool FormulaTimes::Member::is_on_rail(EndpointId peer) const {
  const std::uint32_t mine = plan.index_of(self()), other = plan.index_of(peer);
  return mine - plan.server_first[plan.server_of(mine)] == other - plan.server_first[plan.server_of(other)];
}

std::int64_t FormulaTimes::Member::on_nic(const AddressBook& book) const {
  const std::uint32_t server = server_of(self());
  std::int64_t members = 0;
  for (std::uint32_t i = plan.server_first[server]; i < plan.server_first[server + 1]; ++i)
    members += book[plan.members[i]].nic == book[self()].nic;
  return members;
}

FormulaTimes::FormulaTimes(const Model& model)
    : set_(*model.resource<ProgramSet>()),
      groups_(*model.resource<GroupTable>()),
      plans_(*model.resource<GroupPlans>()),
      algorithms_(*model.resource<AlgorithmRegistry>()),
      nccl_(*model.resource<NcclSettings>()),
      book_(*model.resource<AddressBook>()) {
  if (const auto* detail = model.resource<FormulaDetail>()) room_ = detail->room;
}

SimTime FormulaTimes::of_collective(const Op& op, EndpointId self) {
  const Key key = key_of(op, self);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  const GroupPlan& plan = plans_.of(op.group, self);
  const GroupView group = groups_.group_of(op.group, self);
  return known_.emplace(key, work_out({plan, group, op, choose(algorithms_, nccl_, plan, op)})).first->second;
}

std::int64_t FormulaTimes::share(const Member& member, std::uint32_t from, std::uint32_t to) const {
  return exchange_share(set_, member.op, from, to, member.group.size);
}

CollectivePlan FormulaTimes::plan_of(const Member& member) const {
  const auto& [plan, group, op, choice] = member;
  return algorithms_[choice.algorithm].plan(
      {plan, group, op, choice.protocol,
       [&](std::uint32_t from, std::uint32_t to) { return share(member, from, to); }});
}

SimTime FormulaTimes::work_out(const Member& member) const {
  const auto& [plan, group, op, choice] = member;
  if (op.collective == CollectiveType::barrier) {
    const Medium medium = plan.servers() > 1 ? Medium::net : member.local();
    return start_of(member) + std::bit_width(plan.size() - 1) * plan.nccl->hop(choice.protocol, medium);
  }
  if (op.bytes == 0) return start_of(member);
  const CollectiveAlgorithm& algorithm = algorithms_[choice.algorithm];
  const CollectivePlan way = plan_of(member);
  if (std::holds_alternative<RingSteps>(way) || std::holds_alternative<FoldedRing>(way))
    return of_ring(member);
  if (std::holds_alternative<PeerMessages>(way)) return of_pairs(member);
  if (const auto* exchange = std::get_if<ExchangePlan>(&way)) return of_rounds(member, *exchange);
  if (const auto cost = algorithm.cost(*plan.nccl, plan, op, choice.protocol)) return from_seconds(*cost);
  const BitRate rate = algorithm.receive_rate(plan, member.self(), op, choice.protocol);
  return start_of(member) + line(op.bytes, rate);
}

SimTime FormulaTimes::of_ring(const Member& member) const {
  const GroupPlan& plan = member.plan;
  const Op& op = member.op;
  const Protocol protocol = member.choice.protocol;
  const NcclSettings& nccl = *plan.nccl;
  const std::uint32_t n = plan.ring_size(), servers = plan.ring_servers();
  const std::int64_t steps = ring_steps(op.collective, n);
  const std::int64_t far_steps = servers == 1 ? 0 : (steps * servers + n - 1) / n;
  const std::int64_t channels = ring_channels(nccl, plan, protocol, op.bytes);
  const std::int64_t block = (op.bytes + n - 1) / n, of_channel = (block + channels - 1) / channels;
  const double scale = ring_scale(nccl, plan, op.collective, protocol, op.bytes);
  // Each channel has a rail of its own; those of a server share its NVLink, but not at the same moment.
  const auto near_line = [&](std::int64_t bytes) {
    return line(nccl.wire_bytes(protocol, member.local(), bytes), plan.local_rate);
  };
  const SimTime far_line =
      line(nccl.net_wire_bytes(protocol, of_channel, nccl.ring_messages(of_channel)), plan.net_rate);
  const auto step = [&](Medium medium, SimTime on_line) {
    return on_line + nccl.modelled(medium) + nccl.software(protocol, medium, scale);
  };
  const SimTime far = step(Medium::net, far_line);
  const SimTime in_turn = (steps - far_steps) * step(member.local(), near_line(of_channel)) + far_steps * far;
  const SimTime slowest =
      servers == 1 ? SimTime{0} : steps * std::max(near_line(block), far_line) + far - far_line;
  return start_of(member) + std::max(in_turn, slowest) +
         nccl.copy_time((op.bytes + plan.size() - 1) / plan.size());
}

SimTime FormulaTimes::of_pairs(const Member& member) const {
  const GroupPlan& plan = member.plan;
  const GroupView& group = member.group;
  const Protocol protocol = member.choice.protocol;
  Load load;
  for (std::uint32_t other = 0; other < group.size; ++other) {
    const EndpointId peer = group.member(other);
    const auto wire = [&](std::uint32_t from, std::uint32_t to) {
      return plan.nccl->point_wire_bytes(protocol, member.medium(peer), share(member, from, to));
    };
    load.send(member, peer, wire(group.my_index, other));
    load.receive(member, peer, wire(other, group.my_index));
  }
  const Medium last = plan.servers() > 1 ? Medium::net : member.local();
  const std::int64_t on_nic = member.on_nic(book_);
  const std::uint32_t members = plan.members_of(member.server_of(member.self()));
  return start_of(member) + std::max(load.on_lines(plan, on_nic), load.posting(plan, members)) +
         plan.nccl->modelled(last) + plan.nccl->point_software(protocol, last);
}

std::vector<SimTime> FormulaTimes::ends_of_pairs(const Op& op, EndpointId self,
                                                 std::span<const SimTime> arrived) {
  if (op.collective != CollectiveType::all_to_all || op.bytes == 0) return {};
  const GroupPlan& plan = plans_.of(op.group, self);
  const GroupView group = groups_.group_of(op.group, self);
  const Key key = key_of(op, group.member(0));
  auto known = known_pairs_.find(key);
  if (known == known_pairs_.end()) {
    const Member member{plan, group, op, choose(algorithms_, nccl_, plan, op)};
    known = known_pairs_.emplace(key, pairs_of(member)).first;
  }
  const Pairs& pairs = known->second;
  if (!pairs.are_pairs) return {};
  if (std::any_of(arrived.begin(), arrived.end(), [&](SimTime at) { return at != arrived[0]; }))
    return ends_of({plan, group, op, choose(algorithms_, nccl_, plan, op)}, pairs.has_clears, arrived);
  std::vector<SimTime> ends = pairs.ends;
  for (SimTime& end : ends) end += arrived[0];
  return ends;
}

FormulaTimes::Pairs FormulaTimes::pairs_of(const Member& member) const {
  const CollectivePlan way = plan_of(member);
  const auto* exchange = std::get_if<ExchangePlan>(&way);
  const bool is_full_mesh = exchange && exchange->rounds.size() == 1 && !exchange->is_by_gpu;
  if (!is_full_mesh && !std::holds_alternative<PeerMessages>(way)) return {};
  return {true, !is_full_mesh, ends_of(member, !is_full_mesh, std::vector<SimTime>(member.group.size))};
}

std::vector<SimTime> FormulaTimes::ends_of(const Member& member, bool has_clears,
                                           std::span<const SimTime> arrived) const {
  const auto& [plan, group, op, choice] = member;
  PairLines lines(book_, plan, group, {choice.protocol, has_clears, room_}, arrived);
  for (std::uint32_t from = 0; from < group.size; ++from) {
    const std::vector<std::int64_t> row = exchange_row(set_, op, from, group.size);
    for (std::uint32_t to = 0; to < group.size; ++to)
      if (from != to) lines.add(from, to, row[to]);
  }
  std::vector<SimTime> ends = lines.ends();
  const SimTime start = start_of(member);
  const Medium last = plan.servers() > 1 ? Medium::net : member.local();
  const SimTime behind = plan.nccl->modelled(last) + plan.nccl->point_software(choice.protocol, last);
  for (SimTime& end : ends) end += start + behind;
  return ends;
}

/// Lanes share the lines, and rounds of a lane that wait for the one before add its latency. What a round
/// hands on that another lane brought in ends that round's time behind it: once, for the last of them.
SimTime FormulaTimes::of_rounds(const Member& member, const ExchangePlan& exchange) const {
  const GroupPlan& plan = member.plan;
  const SimTime path = plan.nccl->modelled(plan.servers() > 1 ? Medium::net : member.local());
  const std::int64_t on_nic = member.on_nic(book_);
  Load all;
  SimTime handed_on{0}, latency{0}, in_turn{0};
  for (std::size_t r = 0; r < exchange.rounds.size(); ++r) {
    const ExchangePlan::Round& round = exchange.rounds[r];
    Load load;
    SimTime software{0};
    for (const auto& message : round.sends) load.send(member, message.peer, message.wire);
    for (const auto& message : round.receives) {
      load.receive(member, message.peer, message.wire);
      software = std::max(software, message.after);
    }
    all.add(load);
    latency = std::max(latency, software + path);
    if (round.after == ExchangePlan::none) continue;
    const ExchangePlan::Round& before = exchange.rounds[round.after];
    if (!before.receives.empty()) handed_on = std::max(handed_on, load.on_lines(plan, on_nic));
    if (before.lane == round.lane) in_turn += software + path;
  }
  const std::uint32_t members = plan.members_of(member.server_of(member.self()));
  const SimTime posting = exchange.is_by_gpu ? SimTime{0} : all.posting(plan, members);
  return start_of(member) + std::max(all.on_lines(plan, on_nic), posting) + handed_on + latency + in_turn;
}

FormulaTimes::Point FormulaTimes::of_point(const Op& op, EndpointId from, EndpointId to) const {
  const GroupPlan& plan = plans_.of(op.group, from);
  const bool is_near = plan.server_of(plan.index_of(from)) == plan.server_of(plan.index_of(to));
  const Medium medium = !is_near ? Medium::net : plan.has_nvlink ? Medium::nvlink : Medium::pci;
  const BitRate rate = is_near ? plan.local_rate : plan.net_rate;
  const SimTime path = plan.nccl->modelled(medium);
  if (op.protocol == Protocol::bare) {
    const SimTime sent = op.duration + line(op.bytes, rate);
    return {false, op.duration, sent, sent + path + op.duration, op.duration};
  }
  const Protocol protocol = plan.nccl->point_protocol(op.bytes);
  const SimTime start = plan.nccl->point_base(protocol),
                software = plan.nccl->point_software(protocol, medium);
  const SimTime sent = start + line(plan.nccl->point_wire_bytes(protocol, medium, op.bytes), rate);
  return {op.bytes > nccl_.eager_limit(medium), start, sent, sent + path + software, software};
}

}  // namespace lightrail
