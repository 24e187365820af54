#include "components/gpu/execution/launch_server.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "components/gpu/transport/gpu_ports.hpp"
#include "engine/model/kind.hpp"

namespace lightrail {

LaunchServer::LaunchServer(std::shared_ptr<HostTimelines> timelines, const HostCosts& costs,
                           const HostSettings& settings, SimTime start)
    : timelines_(std::move(timelines)), timeline_(&timelines_->of(0)), costs_(&costs), settings_(&settings) {
  clock_.offset = start;
  if (collects_in(0)) clock_.offset += timeline_->collection;
}

SimTime LaunchServer::launch_of(std::uint32_t op) const {
  if (!has_work(op)) return SimTime{-1};
  const HostTimeline::Launch& launch = timeline_->launches[op];
  const auto next = std::upper_bound(clocks_.begin(), clocks_.end(), launch,
                                     [](const HostTimeline::Launch& launched, const ClockFrom& from) {
                                       return launched.waits != from.waits
                                                  ? launched.waits < from.waits
                                                  : launched.first.handovers <= from.handovers;
                                     });
  return (next == clocks_.begin() ? next : std::prev(next))->clock.time_of(launch.first);
}

std::size_t LaunchServer::next_launch(SimTime now, HostTimeline::Mark& last) const {
  last = moved_ > 0 ? timeline_->waits[moved_ - 1].from : HostTimeline::Mark{SimTime{0}, 0};
  for (std::size_t op = 0; op < timeline_->launches.size(); ++op) {
    const HostTimeline::Launch& launch = timeline_->launches[op];
    if (!launch.has_work() || launch.waits < moved_) continue;
    if (launch.waits > passed_) return op;
    if (clock_.time_of(launch.last) > now) {
      if (clock_.time_of(launch.first) <= now) last = launch.first;
      return op;
    }
    last = launch.last;
  }
  return timeline_->launches.size();
}

void LaunchServer::share_interpreter(SimTime now) {
  HostTimeline::Mark last;
  // Behind the last operation the CPU has read what it had to before the threads began.
  const bool has_launched_all = next_launch(now, last) == timeline_->launches.size();
  clock_.shared_from = has_launched_all ? timeline_->total.handovers : last.handovers;
  clock_.interval = settings_->switch_interval;
  keep_clock(last.handovers);
}

void LaunchServer::regain_interpreter(SimTime now) {
  HostTimeline::Mark last;
  const std::size_t next = next_launch(now, last);
  clock_.set(last, clock_.time_of(last));
  clock_.interval = SimTime{0};
  // What waits for the interpreter has it now.
  if (next < timeline_->launches.size() && timeline_->launches[next].waits <= passed_) {
    const HostTimeline::Mark& waiting = timeline_->launches[next].first;
    if (waiting.handovers > last.handovers && clock_.time_of(waiting) < now) clock_.set(waiting, now);
  }
  keep_clock(last.handovers);
}

void LaunchServer::begin_iteration(std::uint32_t iteration) {
  iteration_ = iteration;
  find_timeline();
  clock_.shared_from = 0;
  passed_ = moved_ = 0;
  clocks_.clear();
  keep_clock();
}

void LaunchServer::begin_again(SimTime now, std::uint32_t iteration) {
  clock_.offset = now, clock_.interval = SimTime{0};
  if (collects_in(iteration)) clock_.offset += timeline_->collection;
  begin_iteration(iteration);
}

void LaunchServer::end_iteration(std::uint32_t ended) {
  clock_.offset = clock_.time_of(timeline_->total) + timeline_->step;
  if (collects_in(ended + 1)) clock_.offset += timeline_->collection;
  begin_iteration(ended + 1);
}

void LaunchServer::save(StateWriter& out) const {
  out.put(clock_), out.put(iteration_), out.put(passed_), out.put(moved_), out.put(clocks_);
}

void LaunchServer::load(StateReader& in) {
  in.get(clock_), in.get(iteration_), in.get(passed_), in.get(moved_), in.get(clocks_);
  find_timeline();
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

std::shared_ptr<HostTimelines> HostTimelineCache::get(const ProgramSet& set, const ProgramIndexes& indexes,
                                                      std::uint32_t program, const HostCosts& costs) {
  auto& known = alive_[{&set, &costs, program}];
  std::shared_ptr<HostTimelines> timelines = known.lock();
  if (!timelines)
    known = timelines =
        std::make_shared<HostTimelines>(set.programs[program], indexes.of[program], set, costs);
  return timelines;
}

}  // namespace lightrail
