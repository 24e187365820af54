#include "network/routing/port_choice.hpp"

namespace lightrail {

LoadedPort least_loaded(const SwitchRoute::Candidates& ports, std::uint64_t hash, const Frame& train,
                        std::uint8_t lane, const EgressBank& egress, const Context& context) {
  LoadedPort best;
  std::uint32_t index = spread(hash, ports.count);
  for (std::uint32_t i = 0; i < ports.count; ++i, index = index + 1 == ports.count ? 0 : index + 1) {
    const PortIndex port = ports[index];
    if (!is_usable(egress, port)) continue;
    const std::tuple<bool, SimTime> load{!egress.has_credit(port, lane, train.bytes, context),
                                         egress.load(port, context.now())};
    if (load == std::tuple{false, SimTime{0}}) return {port, load};  // none is less, those before were more
    if (best.port != unroutable && load >= best.load) continue;
    best = {port, load};
  }
  return best;
}

}  // namespace lightrail
