#include "components/gpu/transport/paths/delegation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/base/wide.hpp"

namespace lightrail {
namespace {

std::int64_t part_of(std::int64_t bytes, std::uint32_t part) {
  return static_cast<std::int64_t>(Wide{bytes} * part / region_control::Share::whole);
}

}  // namespace

Delegation::Delegation(const BuildContext& build, const Regions& regions, const AddressBook& book,
                       EndpointId self)
    : regions_(regions), book_(book), place_(regions.place(book[self].server)) {
  LIGHTRAIL_EXPECT(place_.region != Regions::none);
  for (std::size_t nic = 0; nic < regions.gpu_of_nic.size(); ++nic)
    if (regions.gpu_of_nic[nic] == book[self].local) own_nic_ = static_cast<std::uint16_t>(nic);
  for (std::size_t d = 0; d < build.model.dimensions.size(); ++d)
    if (build.model.dimensions[d] == regions.dimension) dimension_ = static_cast<std::uint16_t>(d);
  later_.assign(region().servers.size(), 0);
  later_then_ = beside_ = beside_then_ = later_;
  peer_.assign(regions.gpu_of_nic.size(), Regions::none);
  for (const Regions::Circuit& c : region().circuits) {
    if (c.a == place_.member) peer_[c.nic_a] = c.b;
    if (c.b == place_.member && !c.is_one_way) peer_[c.nic_b] = c.a;
  }
}

bool Delegation::takes_circuits(std::uint16_t dimension, EndpointId to) const {
  if (place_of(to).region != place_.region) return false;
  return regions_.dimension.empty() || dimension == dimension_;
}

bool Delegation::leads_to(std::uint16_t nic, EndpointId to) const {
  const Regions::Place there = place_of(to);
  if (there.region != place_.region || peer_[nic] == Regions::none) return false;
  if (peer_[nic] == there.member) return true;
  return relays() && peer_[nic] == region().next_hop[place_.member * region().servers.size() + there.member];
}

std::vector<std::uint16_t> Delegation::ways(EndpointId to, bool over_circuits, bool alone) const {
  std::vector<std::uint16_t> ways;
  if (over_circuits)
    for (const std::uint16_t nic : regions_.optical_nics)
      if (leads_to(nic, to)) ways.push_back(nic);
  if (ways.empty() || (over_circuits && regions_.joins_both && !alone))
    for (const std::uint16_t nic : regions_.packet_nics)
      if (region().works(place_.member, nic)) ways.push_back(nic);
  return ways;
}

bool Delegation::gone() {
  LIGHTRAIL_EXPECT(outstanding_ > 0);
  return --outstanding_ == 0 && is_paused_;
}

bool Delegation::is_announced(std::uint16_t dimension) const {
  return regions_.is_controlled && dimension == dimension_;
}

std::vector<std::int64_t> Delegation::by_member(std::span<const PeerBytes> demand, bool is_predicted) const {
  std::vector<std::int64_t> bytes(region().servers.size(), 0);
  std::int64_t sum = 0;
  for (const PeerBytes& peer : demand)
    if (const Regions::Place there = place_of(peer.to);
        there.region == place_.region && there.member != place_.member)
      bytes[there.member] += peer.bytes, sum += peer.bytes;
  if (!is_predicted || regions_.predicts != Prediction::on || bytes.size() < 2) return bytes;
  const double even = static_cast<double>(sum) / static_cast<double>(bytes.size() - 1),
               q = regions_.prediction;
  for (std::size_t m = 0; m < bytes.size(); ++m)
    if (m != place_.member) bytes[m] = std::llround(q * static_cast<double>(bytes[m]) + (1 - q) * even);
  return bytes;
}

bool Delegation::start(Owner owner) {
  if (started_++ < granted_) return true;
  waiting_.push_back(owner);
  return false;
}

bool Delegation::on_pause(std::uint32_t epoch) {
  is_paused_ = true;
  epoch_ = epoch;
  changed_.assign(peer_.size(), Regions::none);
  return outstanding_ == 0;
}

void Delegation::on_circuit(std::uint32_t nic, std::uint32_t member) {
  LIGHTRAIL_EXPECT(is_paused_ && nic < changed_.size());
  changed_[nic] = member;
}

void Delegation::on_later(const region_control::Share& share) {
  LIGHTRAIL_EXPECT(share.member < later_then_.size() && share.parts <= share.whole);
  later_then_[share.member] = share.parts;
}

void Delegation::on_beside(const region_control::Share& share) {
  LIGHTRAIL_EXPECT(share.member < beside_then_.size() && share.parts <= share.whole);
  beside_then_[share.member] = share.parts;
}

std::int64_t Delegation::beside(EndpointId to, std::int64_t bytes) const {
  return part_of(bytes, beside_[place_of(to).member]);
}

std::int64_t Delegation::later(EndpointId to, std::int64_t bytes) const {
  return part_of(bytes, later_[place_of(to).member]);
}

bool Delegation::take_begin_request() {
  if (!is_asked_ || started_ < granted_) return false;
  is_asked_ = false;
  return true;
}

std::vector<Owner> Delegation::on_live(std::uint32_t calls, bool is_asked) {
  if (is_paused_) peer_ = changed_;
  is_paused_ = false;
  granted_ = calls;
  is_asked_ = is_asked_ || is_asked;
  later_.swap(later_then_);
  beside_.swap(beside_then_);
  later_then_.assign(later_.size(), 0), beside_then_.assign(beside_.size(), 0);
  std::vector<Owner> owners;
  if (started_ <= granted_) owners.swap(waiting_);  // it waits for one exchange at most, the last started
  return owners;
}

void Delegation::save(StateWriter& out) const {
  out.put(peer_), out.put(changed_);
  out.put(waiting_);
  out.put(outstanding_), out.put(epoch_), out.put(announced_), out.put(started_), out.put(granted_);
  out.put(is_paused_), out.put(is_asked_), out.put(later_), out.put(later_then_);
  out.put(beside_), out.put(beside_then_);
}

void Delegation::load(StateReader& in) {
  in.get(peer_), in.get(changed_);
  in.get(waiting_);
  in.get(outstanding_), in.get(epoch_), in.get(announced_), in.get(started_), in.get(granted_);
  in.get(is_paused_), in.get(is_asked_), in.get(later_), in.get(later_then_);
  in.get(beside_), in.get(beside_then_);
}

}  // namespace lightrail
