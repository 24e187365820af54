#include "network/health/nic_health.hpp"

#include <algorithm>
#include <cstddef>

#include "engine/model/kind.hpp"
#include "network/health/disjoint_outages.hpp"
#include "network/port/device_traits.hpp"
#include "network/transport/nic_returns.hpp"

namespace lightrail {
namespace {

/// The links of `id` to components that can fail.
std::vector<LinkId> links_that_can_fail(const Model& model, ComponentId id) {
  std::vector<LinkId> all;
  const ComponentRecord& record = model.components[id.value];
  for (std::uint32_t i = 0; i < record.port_count; ++i) {
    const LinkId out = model.ports[record.first_port + i].out;
    if (out.is_valid() && model.kinds[model.components[model.links[out.value].to.value].kind]->can_fail)
      all.push_back(out);
  }
  return all;
}

/// Whether both links are of one device.
bool is_beside(const Model& model, LinkId one, LinkId other) {
  return model.links[one.value].from == model.links[other.value].from;
}

/// Whether the GPU can hand what it sends to its neighbours.
bool is_on_nvlink(const Model& model, ComponentId gpu) {
  const ComponentRecord& record = model.components[gpu.value];
  for (std::uint32_t i = 0; i < record.port_count; ++i)
    if (leads_to(model, model.ports[record.first_port + i].out, DeviceRole::nvswitch)) return true;
  return false;
}

}  // namespace

NicHealth::NicHealth(const HealthTable& health, const AddressBook& book, const Model& model)
    : health_(&health), book_(&book) {
  // Nobody stands in where circuits change or a GPU has several NICs: the NICs wait for their cables.
  if (book.has_nic_addresses() || model.resource<NicReturns>()) return;
  bool is_any_cut_off = false;
  for (const ComponentId device : book.component_of) {
    Cables cables{};
    std::size_t found = 0;
    // What can fail and is joined to an endpoint is its NIC; of the NIC's links those to the fabric are such,
    // too.
    for (const LinkId to_nic : links_that_can_fail(model, device))
      for (const LinkId out : links_that_can_fail(model, model.links[to_nic.value].to))
        if (found < cables.size() && (found == 0 || is_beside(model, cables[0], out))) cables[found++] = out;
    cables_of_.push_back(cables);
    is_on_nvlink_.push_back(is_on_nvlink(model, device));
    is_any_cut_off |= is_ever_cut_off(cables);
  }
  if (!is_any_cut_off) cables_of_.clear();
}

bool NicHealth::is_ever_cut_off(const Cables& cables) const {
  if (!cables[0].is_valid()) return false;
  if (!cables[1].is_valid()) return health_->has_outages(cables[0]);
  return !common(health_->outages(cables[0]), health_->outages(cables[1])).empty();
}

bool NicHealth::is_up(EndpointId endpoint, SimTime now, Observer observer) const {
  if (is_empty()) return true;
  if (endpoint.value >= cables_of_.size()) return false;
  const Cables& cables = cables_of_[endpoint.value];
  return std::any_of(cables.begin(), cables.end(),
                     [&](LinkId cable) { return cable.is_valid() && health_->is_up(cable, now, observer); });
}

SimTime NicHealth::next_change(EndpointId endpoint, SimTime now, Observer observer) const {
  SimTime next = time_never;
  if (endpoint.value >= cables_of_.size()) return next;
  for (const LinkId cable : cables_of_[endpoint.value])
    if (cable.is_valid()) next = std::min(next, health_->next_change(cable, now, observer));
  return next;
}

SimTime NicHealth::next_change_of_server(EndpointId endpoint, SimTime now, Observer observer) const {
  if (is_empty() || endpoint.value >= book_->gpu_count) return time_never;
  const auto [first, end] = book_->gpus_of_server(endpoint);
  SimTime next = time_never;
  for (std::uint32_t gpu = first; gpu < end; ++gpu)
    next = std::min(next, next_change(EndpointId{gpu}, now, observer));
  return next;
}

EndpointId NicHealth::stand_in(EndpointId endpoint, SimTime now, Observer observer) const {
  if (is_empty() || is_up(endpoint, now, observer) || endpoint.value >= book_->gpu_count ||
      !is_on_nvlink_[endpoint.value])
    return endpoint;
  const auto [first, end] = book_->gpus_of_server(endpoint);
  for (std::uint32_t i = 1; i < end - first; ++i) {
    const EndpointId other{first + (endpoint.value - first + i) % (end - first)};
    if (is_on_nvlink_[other.value] && is_up(other, now, observer)) return other;
  }
  return endpoint;
}

}  // namespace lightrail
