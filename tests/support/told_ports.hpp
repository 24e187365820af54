#pragma once
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "network/port/buffered_spec.hpp"
#include "network/port/egress_bank.hpp"
#include "network/routing/routing_kind.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

namespace lightrail::test {

/// A device that does what it is told with its ports when something comes in.
struct ToldSpec final : BufferedSpec {
  std::function<void(EgressBank&, Context&)> told;
  [[nodiscard]] InputBuffer input_buffer(PortIndex) const override { return {}; }
};

class Told final : public Component {
 public:
  explicit Told(const BuildContext& build)
      : spec_(static_cast<const ToldSpec&>(build.spec)), egress_(build) {}
  void handle(const Event&, PortIndex, Context& context) override { spec_.told(egress_, context); }
  void save(StateWriter& out) const override { egress_.save(out); }
  void load(StateReader& in) override { egress_.load(in); }

 private:
  const ToldSpec& spec_;
  EgressBank egress_;
};

inline constexpr PortIndex told_ports = 12;

/// Does it at 1 ns after each of these times with `told_ports` ports of 400 Gb/s that have links, none of
/// which ever fails.
inline void with_ports(std::function<void(EgressBank&, Context&)> told,
                       std::initializer_list<SimTime> times = {SimTime{0}}) {
  NetworkBed bed;
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "told";
  kind->make = [](const BuildContext& build) { return std::make_unique<Told>(build); };
  const auto spec = std::make_shared<ToldSpec>();
  spec->told = std::move(told);
  std::vector<ComponentId> ends;
  for (PortIndex i = 0; i < told_ports; ++i) ends.push_back(bed.add_endpoint());
  const ComponentId device = bed.add(kind, spec, "told");
  const auto line = bed.link_class(nanoseconds(1), BitRate{400'000'000'000}, 1000, 4);
  for (PortIndex i = 0; i < told_ports; ++i) bed.connect(ends[i], 0, device, i, line);
  for (const SimTime at : times)
    bed.script(ends[0], at, 0, train_payload(MessageKind::train, EndpointId{0}, EndpointId{1}, {}, 1000));
  bed.run();
}

/// Of a switch with this route and these ports.
[[nodiscard]] inline std::unique_ptr<Routing> made(const RoutingKind& kind, const SwitchRoute& route,
                                                   const EgressBank& egress) {
  RoutingSetup setup{.route = route, .egress = egress, .salt = 7, .lanes = 2, .flow_entries = 64};
  setup.flowlet_gap = nanoseconds(10);
  setup.mtu_bytes = 1000;
  setup.notice_threshold = 10'000;
  return kind.make(setup);
}

}  // namespace lightrail::test
