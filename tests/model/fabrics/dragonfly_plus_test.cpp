#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "components/nic/nic.hpp"
#include "components/switch/switch.hpp"
#include "engine/base/random.hpp"
#include "fabrics/dragonfly_plus/dragonfly_shape.hpp"
#include "fabrics/system/build_system.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"
#include "tests/unit/links/link_xml.hpp"

// A dragonfly+ of G groups; a group has L leaves, S spines and L x P NICs; a spine has h global links; each
// two groups have c = S h / (G - 1). H, T, X: latencies of the links NIC - leaf, leaf - spine, global; W: of
// a switch. Everything below follows from these.

using namespace lightrail;
using namespace lightrail::test;

namespace {

struct StandInSpec final : Spec, DeviceTraits {
  DeviceRole role() const override { return DeviceRole::gpu; }
};

/// NICs and switches as they are; probes take the place of GPUs.
KindRegistry kinds() {
  auto gpu = std::make_shared<ComponentKind>();
  gpu->name = "gpu";
  bind_spec(*gpu, Describe<StandInSpec>());
  KindRegistry all;
  all.add(gpu);
  all.add(nic_kind());
  all.add(switch_kind());
  return all;
}

Model built(const std::string& fabric, const std::string& device, int nics, std::string* problems = nullptr) {
  const Scenario scenario =
      scenario_of("<network mtu=\"4 KiB\" grain=\"1\"/><cluster servers=\"" + std::to_string(nics) +
                  "\"><server gpus=\"1\" nics=\"1\"><gpu/>"
                  "<nic message-rate=\"1000000000000\"/><link role=\"pcie\" kind=\"pcie\" generation=\"5\" "
                  "latency=\"200 ns\"/></server></cluster><fabric kind=\"dragonfly-plus\" " +
                  fabric + "><switch port-rate=\"400 Gb/s\" latency=\"130 ns\" " + device +
                  "/><link role=\"host\" kind=\"electrical\" rate=\"400 Gb/s\" length=\"1 m\"/>"
                  "<link role=\"trunk\" kind=\"electrical\" rate=\"400 Gb/s\" length=\"2 m\"/>"
                  "<link role=\"global\" kind=\"electrical\" rate=\"400 Gb/s\" length=\"30 m\"/></fabric>");
  ErrorList errors;
  Model model = build_system(scenario, kinds(), built_in_fabrics(), errors);
  if (problems)
    *problems = texts(errors);
  else
    REQUIRE(texts(errors) == "");
  return model;
}

std::string refusal(const std::string& fabric, const std::string& device, int nics) {
  std::string problems;
  built(fabric, device, nics, &problems);
  return problems;
}

bool is_between(const Model& model, const LinkRecord& link, const std::string& a, const std::string& b) {
  return model.component_name(link.from).starts_with(a) && model.component_name(link.to).starts_with(b);
}
SimTime latency(const Model& model, const std::string& a, const std::string& b) {
  for (const LinkRecord& link : model.links)
    if (is_between(model, link, a, b)) return model.link_classes[link.link_class].latency;
  return {};
}
/// A packet of 4,096 B on a link of the fabric.
SimTime packet_time(const Model& model) {
  for (const LinkRecord& link : model.links)
    if (is_between(model, link, "leaf", "spine"))
      return transfer_time(Bytes{4096}, model.link_classes[link.link_class].rate);
  return {};
}

/// The built system with a probe in the place of every GPU.
struct DragonflyBed {
  Model model;
  NetworkBed bed;
  std::vector<ComponentId> probes;
  std::int64_t posted = 0;

  explicit DragonflyBed(Model m) : model(std::move(m)) {
    const auto& book = *model.resource<AddressBook>();
    const auto& routing = *model.resource<RoutingTables>();
    for (const LinkClass& c : model.link_classes) bed.link_class(c.latency, c.rate, c.mtu_bytes, c.grain);
    for (std::uint32_t id = 0; id < model.components.size(); ++id) {
      const ComponentRecord& record = model.components[id];
      const std::string& name = model.kinds[record.kind]->name;
      if (name == "gpu") {
        probes.push_back(bed.add_endpoint(record.number));
        bed.book().endpoints.back().lid = book.endpoints[record.number].lid;
      } else {
        bed.add(model.kinds[record.kind], model.specs[record.spec], name, name == "nic");
      }
      if (routing.route_of.count(id)) bed.route(ComponentId{id}, routing.of(ComponentId{id}));
    }
    for (std::size_t l = 0; l < model.links.size(); l += 2) {
      const LinkRecord& link = model.links[l];
      bed.connect(link.from, link.from_port, link.to, link.to_port, link.link_class);
    }
  }
  void post(SimTime at, std::uint32_t from, std::uint32_t to, std::uint32_t packets,
            std::uint32_t channel = 0) {
    bed.script(
        probes[from], at, 1,
        work_payload(EndpointId{from}, EndpointId{to}, Connection::make(0, channel, 0), 4096 * packets));
    posted += 4096 * packets;
  }
  /// What arrived at every probe, in its order.
  using Seen = std::tuple<std::uint32_t, SimTime, std::uint32_t>;
  std::vector<Seen> seen() const {
    std::vector<Seen> all;
    for (std::uint32_t p = 0; p < probes.size(); ++p)
      for (const Arrival& a : bed.trains(probes[p]))
        all.emplace_back(p, a.time, frame_in(a.payload).address.from().value);
    return all;
  }
  std::int64_t arrived() const {
    std::int64_t bytes = 0;
    for (const ComponentId probe : probes) bytes += payload_bytes(bed.trains(probe));
    return bytes;
  }
};

/// Time that one packet takes from `from` to `to` in an empty network.
SimTime flight(const std::string& routing, std::uint32_t from, std::uint32_t to) {
  DragonflyBed net(built("routing=\"" + routing + "\"", "ports=\"8\"", 80));
  net.post(SimTime{0}, from, to, 1);
  net.bed.run();
  const auto trains = net.bed.trains(net.probes[to]);
  REQUIRE(trains.size() == 1);
  return trains[0].time;
}

/// Share of the line that every NIC gets when NIC i of each group sends to NIC i of the next group.
double neighbour_throughput(const std::string& routing) {
  DragonflyBed net(built("routing=\"" + routing + "\"", "ports=\"8\" buffer=\"64 KiB\"", 80));
  constexpr std::uint32_t packets = 400;
  for (std::uint32_t i = 0; i < 80; ++i) net.post(SimTime{0}, i, (i + 16) % 80, packets);
  net.bed.run();
  REQUIRE(net.arrived() == net.posted);
  return packets * static_cast<double>(packet_time(net.model).count()) /
         static_cast<double>(net.bed.end().count());
}

/// Everybody sends to anybody, faster than the network can carry, through buffers of two packets.
void post_randomly(DragonflyBed& net, std::uint64_t seed, int messages) {
  Random random(seed, ComponentId{1}, 2);
  const std::uint64_t count = net.probes.size();
  for (std::uint32_t from = 0; from < count; ++from)
    for (int m = 0; m < messages; ++m)
      net.post(SimTime{0}, from, static_cast<std::uint32_t>(random.below(count)), 20,
               static_cast<std::uint32_t>(m % 3));
}
const std::string tight = "ports=\"4\" lanes=\"2\" buffer=\"8 KiB\"";

}  // namespace

TEST_CASE("every global link has two ends and each two groups have the same number") {
  for (const auto& [groups, spines, links] :
       {std::tuple{2u, 3u, 2u}, {3u, 2u, 1u}, {5u, 4u, 4u}, {5u, 2u, 2u}, {9u, 4u, 4u}, {7u, 3u, 4u}}) {
    DragonflyShape shape;
    static_cast<DragonflySpec&>(shape) = {groups, 2, spines, 2, links};
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> count;
    for (std::uint32_t g = 0; g < groups; ++g)
      for (std::uint32_t s = 0; s < spines; ++s)
        for (std::uint32_t j = 0; j < links; ++j) {
          const DragonflyShape::End near{g, s, j}, far = shape.far_end(near);
          REQUIRE(far.group != g);
          REQUIRE((far.group < groups && far.spine < spines && far.port < links));
          REQUIRE(shape.far_end(far) == near);
          ++count[{g, far.group}];
        }
    CHECK(count.size() == groups * (groups - 1));
    for (const auto& [pair, links_between] : count) CHECK(links_between == shape.links_between());
  }
}

// Cut between the first G / 2 groups and the others: floor(G / 2) ceil(G / 2) c global links.
TEST_CASE("the bisection has the global links of all pairs of groups that it parts") {
  for (const auto& [nics, groups, between] :
       {std::tuple{32, 2u, 16u}, {48, 3u, 8u}, {80, 5u, 4u}, {144, 9u, 2u}}) {
    const Model model = built("", "ports=\"8\"", nics);
    std::uint32_t cut = 0, global = 0;
    for (std::size_t l = 0; l < model.links.size(); l += 2) {
      if (!is_between(model, model.links[l], "spine", "spine")) continue;
      const auto group = [&](ComponentId id) { return model.components[id.value].number / 4; };
      ++global;
      cut += (group(model.links[l].from) < groups / 2) != (group(model.links[l].to) < groups / 2);
    }
    CHECK(global == groups * (groups - 1) / 2 * between);
    CHECK(cut == (groups / 2) * (groups - groups / 2) * between);
  }
}

// Of one leaf: 2 H + W. Of one group: 2 H + 2 T + 3 W. Of two groups: 2 H + 2 T + X + 4 W.
TEST_CASE("the shortest ways have the latencies of their links and switches") {
  const Model model = built("", "ports=\"8\"", 80);
  const SimTime trunk = latency(model, "leaf", "spine"), global = latency(model, "spine", "spine");
  const SimTime device = nanoseconds(130);
  REQUIRE((trunk > SimTime{0} && global > trunk));
  for (const char* routing :
       {"static", "ecmp", "adaptive", "adaptive-notified", "adaptive-flow", "dragonfly-adaptive"}) {
    const SimTime leaf = flight(routing, 0, 1);
    CHECK(flight(routing, 0, 7) - leaf == trunk * 2 + device * 2);
    CHECK(flight(routing, 0, 50) - leaf == trunk * 2 + global + device * 3);
  }
}

// Every spine has a link to every group here: leaf, spine, X, spine, X, spine, leaf.
TEST_CASE("Valiant's ways between groups have a second global link and one more switch") {
  const Model model = built("", "ports=\"8\"", 80);
  const SimTime trunk = latency(model, "leaf", "spine"), global = latency(model, "spine", "spine");
  const SimTime leaf = flight("dragonfly-valiant", 0, 1);
  CHECK(flight("dragonfly-valiant", 0, 7) - leaf == trunk * 2 + nanoseconds(130) * 2);
  CHECK(flight("dragonfly-valiant", 0, 50) - leaf == trunk * 2 + global * 2 + nanoseconds(130) * 4);
}

TEST_CASE("every NIC reaches every other one, whichever spines have the global links") {
  // 5 groups of 2 leaves and 2 spines; a spine has links to two of the four other groups. The last leaf has
  // one NIC.
  for (const char* routing : {"static", "adaptive", "dragonfly-valiant", "dragonfly-adaptive"}) {
    DragonflyBed net(built(std::string("routing=\"") + routing + "\"", "ports=\"4\"", 19));
    SimTime at{0};
    for (std::uint32_t from = 0; from < 19; ++from)
      for (std::uint32_t to = 0; to < 19; ++to)
        if (from != to) net.post(at += microseconds(20), from, to, 1);
    net.bed.run();
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const auto& [to, time, from] : net.seen()) pairs.emplace(from, to);
    CHECK(pairs.size() == 19 * 18);
  }
}

// All of a group send to the next one. G = 5, 16 NICs a group, c = 4:
//   shortest ways alone: c / 16 = 1 / (G - 1) = 1/4;
//   Valiant: the first and the second global links of all share those of every pair but neighbours, so
//     2 x 16 x / (G - 2) = c, x = (G - 2) / (2 (G - 1)) = 3/8;
//   both: 1/4 + 3/8 = G / (2 (G - 1)) = 5/8 at most.
TEST_CASE("neighbouring groups get what the global links between them carry, and more by ways around") {
  const double shortest = neighbour_throughput("adaptive");
  CHECK(shortest == Approx(0.25).epsilon(0.02));
  const double valiant = neighbour_throughput("dragonfly-valiant");
  CHECK(valiant <= 0.375);
  CHECK(valiant > 0.375 * 0.9);
  const double adaptive = neighbour_throughput("dragonfly-adaptive");
  CHECK(adaptive <= 0.625);
  CHECK(adaptive > 0.625 * 0.9);
}

TEST_CASE("random traffic beyond saturation ends with the fewest lanes and the smallest buffers") {
  for (const char* routing : {"adaptive", "dragonfly-valiant", "dragonfly-adaptive"})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      DragonflyBed net(built(std::string("routing=\"") + routing + "\"", tight, 20));
      post_randomly(net, seed, 12);
      net.bed.run();
      CHECK(net.bed.waits().empty());
      CHECK(net.arrived() == net.posted);
    }
}

TEST_CASE("what is saved in the middle of a run goes on as it would have") {
  for (const char* routing : {"dragonfly-valiant", "dragonfly-adaptive"}) {
    const auto ran = [&](SimTime save_at) {
      DragonflyBed net(built(std::string("routing=\"") + routing + "\"", tight, 20));
      post_randomly(net, 7, 4);
      net.bed.run(save_at);
      return net.seen();
    };
    CHECK(ran(time_never) == ran(microseconds(10)));
  }
}

TEST_CASE("a dragonfly+ that does not fit is refused with its numbers") {
  using Catch::Contains;
  CHECK_THAT(refusal("nics-per-leaf=\"6\"", "ports=\"8\"", 20),
             Contains("does not fit: a leaf of 6 NICs and 4 spines needs 10 ports, the switch has 8"));
  CHECK_THAT(refusal("groups=\"4\"", "ports=\"8\"", 80),
             Contains("80 NICs fill 5 groups of 4 leaves with 4 NICs each, not 4"));
  CHECK_THAT(refusal("global-links=\"1\"", "ports=\"8\"", 16), Contains("one group has no global links"));
  CHECK_THAT(refusal("leaves-per-group=\"9\" nics-per-leaf=\"2\"", "ports=\"8\"", 18),
             Contains("a spine of 9 leaves needs 9 ports, the switch has 8"));
  CHECK_THAT(refusal("leaves-per-group=\"7\" spines-per-group=\"1\" nics-per-leaf=\"1\"", "ports=\"8\"", 70),
             Contains("1 spine with up to 1 global link each cannot join a group evenly with 9 others"));
  CHECK_THAT(refusal("global-links=\"8\"", "ports=\"8\"", 80),
             Contains("a spine of 4 leaves and 8 global links needs 12 ports, the switch has 8"));
  CHECK_THAT(
      refusal("global-links=\"3\"", "ports=\"8\"", 144),
      Contains("4 spines with 3 global links each cannot join a group evenly with 8 others (12 links)"));
}

TEST_CASE("a routing that goes around is refused where lanes are missing") {
  CHECK_THAT(refusal("routing=\"dragonfly-adaptive\"", "ports=\"8\" lanes=\"1\"", 80),
             Catch::Contains("<switch> routing 'dragonfly-adaptive' needs 2 virtual lanes to be free of "
                             "deadlock, the switch has 1"));
}
