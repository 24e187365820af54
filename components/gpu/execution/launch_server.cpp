#include "components/gpu/execution/launch_server.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "components/gpu/transport/gpu_ports.hpp"
#include "engine/model/kind.hpp"

namespace lightrail {

LaunchServer::LaunchServer(std::shared_ptr<const HostTimeline> timeline, const HostCosts& costs,
                           const HostSettings& settings, SimTime start)
    : timeline_(std::move(timeline)), costs_(&costs), settings_(&settings), offset_(start) {
  if (collects_in(0)) offset_ += timeline_->collection;
}

SimTime LaunchServer::launch_of(std::uint32_t op) const {
  if (!has_work(op)) return SimTime{-1};
  const HostTimeline::Launch& launch = timeline_->launches[op];
  const auto next =
      std::upper_bound(offsets_.begin(), offsets_.end(), launch.waits,
                       [](std::uint32_t waits, const OffsetFrom& from) { return waits < from.waits; });
  return std::prev(next)->offset + launch.first;
}

void LaunchServer::begin_again(SimTime now, std::uint32_t iteration) {
  offset_ = now;
  if (collects_in(iteration)) offset_ += timeline_->collection;
  passed_ = moved_ = 0;
  offsets_.clear();
  keep_offset();
}

void LaunchServer::end_iteration(std::uint32_t ended) {
  offset_ += timeline_->total + timeline_->step;
  if (collects_in(ended + 1)) offset_ += timeline_->collection;
  passed_ = moved_ = 0;
  offsets_.clear();
  keep_offset();
}

void LaunchServer::save(StateWriter& out) const {
  out.put(offset_), out.put(passed_), out.put(moved_), out.put(offsets_);
}

void LaunchServer::load(StateReader& in) {
  in.get(offset_), in.get(passed_), in.get(moved_), in.get(offsets_);
}

const HostCosts* host_costs_of(const Model& model, ComponentId gpu) {
  const ComponentRecord& record = model.components[gpu.value];
  if (record.port_count <= GpuPort::host) return nullptr;
  const LinkId out = model.ports[record.first_port + GpuPort::host].out;
  if (!out.is_valid()) return nullptr;
  const std::uint32_t spec = model.components[model.links[out.value].to.value].spec;
  const auto* host =
      spec < model.specs.size() ? dynamic_cast<const HostCostsSpec*>(model.specs[spec].get()) : nullptr;
  return host && host->host_costs().are_known() ? &host->host_costs() : nullptr;
}

std::shared_ptr<const HostTimeline> HostTimelines::get(const ProgramSet& set, const ProgramIndexes& indexes,
                                                       std::uint32_t program, const HostCosts& costs) {
  auto& known = alive_[{&set, &costs, program}];
  std::shared_ptr<const HostTimeline> timeline = known.lock();
  if (!timeline)
    known = timeline = std::make_shared<const HostTimeline>(
        make_host_timeline(set.programs[program], indexes.of[program], set, costs));
  return timeline;
}

}  // namespace lightrail
