#include "network/port/crossbar.hpp"

namespace lightrail {

Crossbar::Crossbar(const BuildContext& build, SimTime latency)
    : egress_(build), returns_(build), latency_(latency), in_lines_(build.record.port_count) {
  for (std::uint32_t i = 0; i < build.record.port_count; ++i)
    in_lines_[i] = LineTime(port_end(build, static_cast<PortIndex>(i)).in_rate);
}

}  // namespace lightrail
