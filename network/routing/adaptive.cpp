#include <cstdint>
#include <memory>

#include "network/routing/port_choice.hpp"
#include "network/routing/up_down_routings.hpp"

namespace lightrail {

namespace {

class Adaptive final : public Routing {
 public:
  explicit Adaptive(const RoutingSetup& setup)
      : route_(setup.route), detours_(setup.detours), egress_(setup.egress), ties_(setup.salt) {}

  RouteChoice choose(Lid lid, const Frame& train, PortIndex, const Context& context) override {
    const SwitchRoute::Candidates ports = ways_to(lid, route_, detours_, context.now());
    if (ports.count < 2) return {only_port(ports, egress_), train.lane};
    return {least_loaded(ports, ties_.next(), train, train.lane, egress_, context).port, train.lane};
  }
  void save(StateWriter& out) const override { ties_.save(out); }
  void load(StateReader& in) override { ties_.load(in); }

 private:
  const SwitchRoute& route_;
  Detours* detours_;
  const EgressBank& egress_;
  TieDraw ties_;
};

}  // namespace

std::shared_ptr<const RoutingKind> adaptive_routing() {
  return routing_kind<Adaptive>("adaptive",
                                "least backlog here and in the next buffer, ties drawn, each train");
}

}  // namespace lightrail
