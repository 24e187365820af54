#include "network/routing/port_choice.hpp"

#include <algorithm>
#include <utility>

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

LoadedPort least_loaded(const SwitchRoute::Candidates& ports, std::uint64_t tie, const Frame& train,
                        std::uint8_t lane, const EgressBank& egress, const Context& context,
                        std::uint32_t equal_bytes) {
  const SimTime now = context.now();
  const std::uint32_t first = spread(tie, ports.count);
  // The least loaded of the ports that may be taken; of equal ones the first from `first` on.
  ByteTime byte;
  const auto best_of = [&](auto&& may_take) {
    LoadedPort best;
    for (std::uint32_t pass = 0; pass < (equal_bytes == 0 ? 1 : 2); ++pass) {
      const Backlog base = pass == 0 ? Backlog(false, SimTime{0}) : best.load;
      BitRate rate{-1};
      Backlog enough;  // on lines of `rate`
      for (const auto& [begin, end] : {std::pair{first, std::uint32_t{ports.count}}, {0u, first}})
        for (std::uint32_t i = begin; i < end; ++i) {
          const PortIndex port = ports[i];
          if (!may_take(port)) continue;
          if (egress.rate(port) != rate) {
            rate = egress.rate(port);
            enough = base + std::max(egress.line_time(port, equal_bytes), SimTime{1});
          }
          const Backlog load = egress.backlog(port, lane, train.bytes, context, byte);
          if (load < enough) return LoadedPort{port, load};  // no other is better
          if (load < best.load) best = {port, load};
        }
    }
    return best;
  };
  const LoadedPort clear = best_of([&](PortIndex port) { return egress.is_clear(port, now); });
  if (clear.port != unroutable) return clear;
  for (const Trouble accepted : {Trouble::dark, Trouble::down}) {
    const LoadedPort best = best_of(
        [&](PortIndex port) { return egress.is_connected(port) && egress.trouble(port, now) <= accepted; });
    if (best.port != unroutable) return best;
  }
  return {};
}

}  // namespace lightrail
