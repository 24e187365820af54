#include "network/routing/port_choice.hpp"

namespace lightrail {
namespace {

using Trouble = EgressBank::Trouble;
constexpr Trouble rising[] = {Trouble::none, Trouble::dark, Trouble::down};

}  // namespace

PortIndex first_usable(const SwitchRoute::Candidates& ports, std::uint32_t first, const EgressBank& egress,
                       SimTime now) {
  for (const Trouble accepted : rising)
    for (std::uint32_t i = 0; i < ports.count; ++i) {
      const PortIndex port = ports[(first + i) % ports.count];
      if (egress.is_connected(port) && egress.trouble(port, now) <= accepted) return port;
    }
  return unroutable;
}

LoadedPort least_loaded(const SwitchRoute::Candidates& ports, std::uint64_t hash, const Frame& train,
                        std::uint8_t lane, const EgressBank& egress, const Context& context) {
  LoadedPort best;
  const std::uint32_t first = spread(hash, ports.count);
  for (const Trouble accepted : rising) {
    std::uint32_t index = first;
    for (std::uint32_t i = 0; i < ports.count; ++i, index = index + 1 == ports.count ? 0 : index + 1) {
      const PortIndex port = ports[index];
      if (!egress.is_connected(port) || egress.trouble(port, context.now()) > accepted) continue;
      const std::tuple<bool, SimTime> load{!egress.may_send(port, lane, train.bytes, context),
                                           egress.load(port, context.now())};
      if (load == std::tuple{false, SimTime{0}}) return {port, load};  // none is less, those before were more
      if (best.port != unroutable && load >= best.load) continue;
      best = {port, load};
    }
    if (best.port != unroutable) return best;
  }
  return best;
}

}  // namespace lightrail
