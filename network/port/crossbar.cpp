#include "network/port/crossbar.hpp"

namespace lightrail {
namespace {

std::vector<PortEnd> ends_of(const BuildContext& build, SimTime pipeline) {
  std::vector<PortEnd> ends = port_ends(build);
  for (PortEnd& end : ends) end.round_trip += pipeline;
  return ends;
}

}  // namespace

Crossbar::Crossbar(const BuildContext& build, SimTime latency)
    : Crossbar(build, ends_of(build, latency), latency) {}

Crossbar::Crossbar(const BuildContext& build, const std::vector<PortEnd>& ends, SimTime latency)
    : egress_(build, ends),
      inputs_(ends, build.model.component_name(build.id)),
      latency_(latency),
      in_lines_(ends.size()) {
  for (std::size_t i = 0; i < ends.size(); ++i) in_lines_[i] = LineTime(ends[i].in_rate);
}

}  // namespace lightrail
