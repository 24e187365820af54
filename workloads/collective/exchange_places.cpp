#include "workloads/collective/exchange_places.hpp"

#include <algorithm>

#include "workloads/collective/ring.hpp"

namespace lightrail {
namespace {

constexpr std::int64_t max_slices = 16;

}  // namespace

ExchangePlaces::ExchangePlaces(const CollectiveInput& in) : in_(in), index_of_(in.group.size) {
  for (std::uint32_t i = 0; i < in.group.size; ++i) index_of_[in.plan.index_of(in.group.member(i))] = i;
  const std::uint32_t mine = in.plan.index_of(in.self());
  server_ = in.plan.server_of(mine);
  place_ = mine - in.plan.server_first[server_];
}

Medium ExchangePlaces::medium(std::uint32_t index) const {
  if (index == me()) return Medium::local;
  if (in_.plan.server_of(in_.plan.index_of(member(index))) != server_) return Medium::net;
  return in_.plan.has_nvlink ? Medium::nvlink : Medium::pci;
}

ExchangePlan::Message ExchangePlaces::message(std::uint32_t index, std::int64_t payload) const {
  const Medium via = medium(index);
  return {member(index), payload, in_.plan.nccl->point_wire_bytes(in_.protocol, via, payload),
          via == Medium::local ? SimTime{0} : in_.plan.nccl->point_software(in_.protocol, via)};
}

void add_message(std::vector<ExchangePlan::Message>& to, const ExchangePlan::Message& message) {
  if (message.payload > 0) to.push_back(message);
}

std::int64_t exchange_slices(std::int64_t bytes, std::int64_t slice) {
  return std::clamp<std::int64_t>((bytes + slice - 1) / slice, 1, max_slices);
}

std::int64_t slice_of(std::int64_t bytes, std::int64_t slices, std::int64_t slice) {
  return part_bytes(bytes, 1, static_cast<std::uint32_t>(slices), static_cast<std::uint32_t>(slice));
}

}  // namespace lightrail
