#include "network/health/server_health.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "network/health/disjoint_outages.hpp"
#include "network/port/device_traits.hpp"

namespace lightrail {
namespace {

using Failures = std::map<std::uint32_t, std::vector<ServerFailure>>;

/// When all of these links are down; never where there are none.
std::vector<Outage> all_down(const HealthTable& health, const std::vector<LinkId>& links) {
  std::vector<Outage> down;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::span<const Outage> own = health.outages(links[i]);
    down = i == 0 ? std::vector<Outage>(own.begin(), own.end()) : common(down, own);
  }
  return down;
}

/// The cables from a NIC to its fabric.
std::vector<LinkId> cables_of(const Model& model, ComponentId nic) {
  const ComponentRecord& record = model.components[nic.value];
  std::vector<LinkId> cables;
  for (std::uint32_t port = 0; port < fabric_ports_of(*model.specs[record.spec]); ++port)
    if (const LinkId out = model.ports[record.first_port + port].out; out.is_valid()) cables.push_back(out);
  return cables;
}

/// The NICs that a device is joined to.
std::vector<ComponentId> nics_of(const Model& model, ComponentId device) {
  std::vector<ComponentId> all;
  const ComponentRecord& record = model.components[device.value];
  for (std::uint32_t i = 0; i < record.port_count; ++i) {
    const LinkId out = model.ports[record.first_port + i].out;
    if (leads_to(model, out, DeviceRole::nic)) all.push_back(model.links[out.value].to);
  }
  return all;
}

void add_stops(const HealthTable& health, ComponentId gpu, std::uint32_t server, Failures& failures) {
  const auto changes = health.pace_changes(gpu);
  for (std::size_t i = 0; i < changes.size(); ++i)
    if (changes[i].lost == all_speed)
      failures[server].push_back(
          {server, {changes[i].at, i + 1 < changes.size() ? changes[i + 1].at : time_never}, gpu});
}

/// To the chips of a GPU's NVSwitch, which stand in for one another.
std::vector<LinkId> nvlinks_of(const Model& model, ComponentId gpu) {
  const ComponentRecord& record = model.components[gpu.value];
  std::vector<LinkId> links;
  for (std::uint32_t i = 0; i < record.port_count; ++i)
    if (const LinkId out = model.ports[record.first_port + i].out; leads_to(model, out, DeviceRole::nvswitch))
      links.push_back(out);
  return links;
}

void add(const std::vector<Outage>& spans, std::uint32_t server, ComponentId cause, Failures& failures) {
  for (const Outage& span : spans) failures[server].push_back({server, span, cause});
}

/// While nobody stands in for the GPU's NIC.
void add_cut_offs(const NicHealth& nics, EndpointId gpu, ComponentId nic, std::uint32_t server,
                  Failures& failures) {
  constexpr Observer at_once = Observer::port;
  SimTime since = time_never;
  for (SimTime now{0}; now != time_never; now = nics.next_change_of_server(gpu, now, at_once)) {
    const bool is_cut_off = !nics.is_up(gpu, now, at_once) && nics.stand_in(gpu, now, at_once) == gpu;
    if (is_cut_off && since == time_never) since = now;
    if (is_cut_off || since == time_never) continue;
    failures[server].push_back({server, {since, now}, nic});
    since = time_never;
  }
  if (since != time_never) failures[server].push_back({server, {since, time_never}, nic});
}

/// Those of one server that overlap or touch are one, of the cause that came first.
std::vector<ServerFailure> joined(std::vector<ServerFailure> all) {
  std::sort(all.begin(), all.end(), [](const ServerFailure& a, const ServerFailure& b) {
    return std::tuple(a.span.down, a.cause) < std::tuple(b.span.down, b.cause);
  });
  std::vector<ServerFailure> kept;
  for (const ServerFailure& one : all)
    if (!kept.empty() && one.span.down <= kept.back().span.up)
      kept.back().span.up = std::max(kept.back().span.up, one.span.up);
    else
      kept.push_back(one);
  return kept;
}

}  // namespace

ServerHealth::ServerHealth(const Model& model, const HealthTable& health, const AddressBook& book,
                           const NicHealth* nics) {
  const bool has_stand_ins = nics && !nics->is_empty();
  Failures failures;
  std::set<ComponentId> of_gpus;  // NICs; a host's others are for storage
  for (std::uint32_t e = 0; e < book.first_storage; ++e) {
    const ComponentId device = book.component_of[e];
    const std::uint32_t server = book.endpoints[e].server;
    const bool is_gpu = e < book.gpu_count;
    if (is_gpu) add_stops(health, device, server, failures);
    if (is_gpu) add(all_down(health, nvlinks_of(model, device)), server, device, failures);
    for (const ComponentId nic : nics_of(model, device)) {
      if (is_gpu) of_gpus.insert(nic);
      if (is_gpu && has_stand_ins)
        add_cut_offs(*nics, EndpointId{e}, nic, server, failures);
      else if (is_gpu || !of_gpus.contains(nic))
        add(all_down(health, cables_of(model, nic)), server, nic, failures);
    }
  }
  for (auto& of_server : failures)
    for (const ServerFailure& one : joined(std::move(of_server.second))) failures_.push_back(one);
  std::stable_sort(failures_.begin(), failures_.end(),
                   [](const ServerFailure& a, const ServerFailure& b) { return a.span.down < b.span.down; });
}

const ServerFailure* ServerHealth::failure_at(std::uint32_t server, SimTime now) const {
  for (const ServerFailure& one : failures_) {
    if (one.span.down > now) return nullptr;
    if (one.server == server && now < one.span.up) return &one;
  }
  return nullptr;
}

}  // namespace lightrail
