#include "tests/model/network/clos_bed.hpp"

#include <memory>

#include "engine/base/random.hpp"
#include "tests/support/wire_messages.hpp"

namespace lightrail::test {

ClosBed::ClosBed(const ClosShape& shape) {
  auto spec = std::make_shared<SwitchSpec>();
  spec->routing = shape.routing;
  spec->buffer = Bytes{shape.buffer};
  spec->latency = shape.latency;
  auto nic_spec = std::make_shared<NicSpec>();
  nic_spec->buffer = Bytes{shape.buffer};
  nic_spec->message_rate = 1'000'000'000'000;
  BitRate rate{400'000'000'000};
  auto pcie = bed.link_class(nanoseconds(200), BitRate{shape.pcie_gbps * 1'000'000'000}, 4096, shape.grain);
  auto host = bed.link_class(shape.host_link, rate, 4096, shape.grain);
  auto trunk = bed.link_class(nanoseconds(150), rate, 4096, shape.grain);

  auto nics_kind = nic_kind();
  auto switches_kind = switch_kind();
  for (std::uint32_t i = 0; i < shape.leaves * shape.hosts; ++i) {
    probes.push_back(bed.add_endpoint(i));
    nics.push_back(bed.add(nics_kind, nic_spec, "nic", true));
    bed.connect(probes[i], 1, nics[i], 1, pcie);
  }
  for (std::uint32_t i = 0; i < shape.leaves; ++i)
    leaf_switches.push_back(bed.add(switches_kind, spec, "leaf"));
  for (std::uint32_t i = 0; i < shape.spines; ++i)
    spine_switches.push_back(bed.add(switches_kind, spec, "spine"));
  for (std::uint32_t i = 0; i < shape.leaves; ++i) {
    for (std::uint32_t k = 0; k < shape.hosts; ++k)
      bed.connect(nics[i * shape.hosts + k], 0, leaf_switches[i], static_cast<PortIndex>(k), host);
    for (std::uint32_t k = 0; k < shape.spines; ++k)
      bed.connect(leaf_switches[i], static_cast<PortIndex>(shape.hosts + k), spine_switches[k],
                  static_cast<PortIndex>(i), trunk);
    SwitchRoute route;
    route.down = {{i * shape.hosts, (i + 1) * shape.hosts, 1, 0, 1}};
    route.first_up = static_cast<PortIndex>(shape.hosts);
    route.up_count = static_cast<std::uint16_t>(shape.spines);
    bed.route(leaf_switches[i], route);
  }
  for (ComponentId spine : spine_switches) {
    SwitchRoute route;
    route.down = {{0, shape.leaves * shape.hosts, shape.hosts, 0, 1}};
    bed.route(spine, route);
  }
}

void ClosBed::post(SimTime at, std::uint32_t from, std::uint32_t to, std::uint32_t bytes,
                   std::uint32_t channel, bool notify, std::uint8_t lane) {
  bed.script(
      probes[from], at, 1,
      work_payload(EndpointId{from}, EndpointId{to}, Connection::make(0, channel, 0), bytes, notify, lane));
  posted[{from, channel, to}] += bytes;
}

std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::int64_t> ClosBed::arrived() const {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::int64_t> all;
  for (std::uint32_t to = 0; to < endpoints(); ++to)
    for (const Arrival& a : bed.arrivals(probes[to])) {
      if (kind_of(a.payload) != MessageKind::train) continue;
      LIGHTRAIL_EXPECT(frame_in(a.payload).address.to().value == to);
      all[{frame_in(a.payload).address.from().value, frame_in(a.payload).address.connection().channel(),
           to}] += frame_in(a.payload).bytes;
    }
  return all;
}

ClosShape random_shape(std::uint64_t seed) {
  Random random(seed, ComponentId{0}, 1);
  ClosShape shape;
  shape.leaves = 1 + static_cast<std::uint32_t>(random.below(4));
  shape.hosts = 1 + static_cast<std::uint32_t>(random.below(5));
  shape.spines = 1 + static_cast<std::uint32_t>(random.below(4));
  shape.routing = built_in_routings().kinds()[random.below(4)];
  shape.grain = 1u << random.below(4);
  shape.buffer = 4096 * shape.grain * (1 + static_cast<std::int64_t>(random.below(6)));
  shape.latency = SimTime{static_cast<std::int64_t>(random.below(3)) * 70'000};
  shape.pcie_gbps = random.below(2) == 0 ? 250 : 500;
  return shape;
}

void fill_randomly(ClosBed& net, std::uint64_t seed, int messages) {
  Random random(seed, ComponentId{1}, 2);
  auto any = [&] { return static_cast<std::uint32_t>(random.below(net.endpoints())); };
  std::uint32_t hot = any();
  for (int i = 0; i < messages; ++i) {
    SimTime at = nanoseconds(static_cast<std::int64_t>(random.below(8)) * 500);
    std::uint32_t to = random.below(3) == 0 ? hot : any();
    auto bytes = static_cast<std::uint32_t>(1 + random.below(random.below(2) == 0 ? 200 : 300'000));
    auto channel = static_cast<std::uint32_t>(random.below(3));
    auto lane = static_cast<std::uint8_t>(channel == 2 ? 1 : 0);
    net.post(at, any(), to, bytes, channel, random.below(2) != 0, lane);
  }
}

}  // namespace lightrail::test
