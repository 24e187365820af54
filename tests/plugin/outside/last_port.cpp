#include <cstdint>
#include <memory>

#include "app/registry/registry.hpp"
#include "network/routing/port_choice.hpp"
#include "network/routing/routing_kind.hpp"

namespace {

using namespace lightrail;

/// Everything takes the last of the ports that lead to its destination, while it is up: parallel links are
/// spares.
class LastPort final : public Routing {
 public:
  explicit LastPort(const RoutingSetup& setup) : route_(setup.route), egress_(setup.egress) {}
  RouteChoice choose(Lid lid, const Frame& train, PortIndex, const Context& context) override {
    const SwitchRoute::Candidates ports = route_.candidates(lid);
    if (ports.count == 0) return {unroutable, train.lane};
    return {first_usable(ports, ports.count - 1u, egress_, context.now()), train.lane};
  }

 private:
  const SwitchRoute& route_;
  const EgressBank& egress_;
};

}  // namespace

extern "C" void lightrail_plugin_register(lightrail::Registry& registry) {
  registry.routings.add(routing_kind<LastPort>("last-port", "the last port that leads there"));
}
