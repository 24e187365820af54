#include "app/cli/message_model.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <set>

#include "components/message-fabric/message_fabric.hpp"
#include "components/ocs/ocs.hpp"
#include "components/switch/switch.hpp"
#include "engine/base/error.hpp"
#include "network/port/send_ahead.hpp"
#include "network/port/whole_messages.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr std::uint32_t megabyte = 1'000'000;  // 20 us at 400 Gb/s

/// NICs 0 and 1 on leaf 0, NIC 2 on leaf 1, with a spine. A path over the spine has 2 x 10 ns of cable to
/// NICs, 2 x 150 ns between switches, and 3 x 130 ns in switches: 710 ns; in a leaf it has 150 ns.
struct Tree {
  NetworkBed bed;
  ComponentId nic[3] = {bed.add_endpoint(), bed.add_endpoint(), bed.add_endpoint()};
  ComponentId leaf[2] = {add(), add()}, spine = add();
  explicit Tree(std::int64_t last_gbps = 400) {
    const std::uint16_t host = bed.link_class(nanoseconds(10), BitRate{400'000'000'000}),
                        last = bed.link_class(nanoseconds(10), BitRate{last_gbps * 1'000'000'000}),
                        trunk = bed.link_class(nanoseconds(150), BitRate{400'000'000'000});
    bed.connect(nic[0], 0, leaf[0], 0, host);
    bed.connect(nic[1], 0, leaf[0], 1, host);
    bed.connect(nic[2], 0, leaf[1], 0, last);
    for (const PortIndex i : {PortIndex{0}, PortIndex{1}}) bed.connect(leaf[i], 2, spine, i, trunk);
    bed.route(leaf[0], SwitchRoute{{{0, 2, 1, 0, 1}}, 2, 1, {}});
    bed.route(leaf[1], SwitchRoute{{{2, 3, 1, 0, 1}}, 2, 1, {}});
    bed.route(spine, SwitchRoute{{{0, 2, 2, 0, 1}, {2, 3, 1, 1, 1}}, 0, 0, {}});
  }
  ComponentId add() {
    auto spec = std::make_shared<SwitchSpec>();
    spec->latency = nanoseconds(130);
    return bed.add(switch_kind(), spec, "switch");
  }
  void send(std::uint32_t from, std::uint32_t to, SimTime at, std::uint32_t bytes = megabyte) {
    bed.script(nic[from], at, 0,
               train_payload(MessageKind::train, EndpointId{from}, EndpointId{to}, {}, bytes, 245));
  }
  void run_by_messages(SimTime save_at = time_never) {
    bed.finish_model() = message_model(bed.finish_model());
    bed.run(save_at);
  }
};

/// Of all links of that medium.
std::uint32_t nvlink_grain(const Model& model) {
  std::set<std::uint32_t> all;
  for (const LinkClass& link : model.link_classes)
    if (link.medium == "nvlink") all.insert(link.grain);
  REQUIRE(all.size() == 1);
  return *all.begin();
}

}  // namespace

TEST_CASE("a message by itself takes its path, as through the switches") {
  Tree by_messages, by_trains;
  for (Tree* tree : {&by_messages, &by_trains}) {
    tree->send(0, 2, SimTime{0}, 4096);
    tree->send(0, 1, microseconds(5), 4096);
  }
  by_messages.run_by_messages();
  by_trains.bed.run();
  for (Tree* tree : {&by_messages, &by_trains}) {
    REQUIRE(tree->bed.trains(tree->nic[2]).size() == 1);
    CHECK(tree->bed.trains(tree->nic[2])[0].time == nanoseconds(710));
    REQUIRE(tree->bed.trains(tree->nic[1]).size() == 1);
    CHECK(tree->bed.trains(tree->nic[1])[0].time == microseconds(5) + nanoseconds(150));
  }
}

TEST_CASE("messages wait for the line to their receiver alone, in the order in which they come to it") {
  Tree tree;
  tree.send(0, 2, SimTime{0});                  // is there at 710 ns and has the line for 20 us
  tree.send(2, 1, SimTime{0});                  // another receiver
  tree.send(1, 2, nanoseconds(100), megabyte);  // waits for the first
  tree.run_by_messages(microseconds(7));
  const auto at_2 = tree.bed.trains(tree.nic[2]);
  REQUIRE(at_2.size() == 2);
  CHECK(at_2[0].time == nanoseconds(710));
  CHECK(at_2[1].time == nanoseconds(710) + microseconds(20));
  CHECK(tree.bed.trains(tree.nic[1])[0].time == nanoseconds(710));
}

TEST_CASE("a near sender does not wait for a far one that is still on its way") {
  Tree tree;
  tree.send(2, 1, SimTime{0});       // is at NIC 1's port after 700 ns
  tree.send(0, 1, nanoseconds(50));  // sent later, there before: after 190 ns
  tree.run_by_messages();
  const auto arrivals = tree.bed.trains(tree.nic[1]);
  REQUIRE(arrivals.size() == 2);
  CHECK(frame_in(arrivals[0].payload).address.from() == EndpointId{0});
  CHECK(arrivals[0].time == nanoseconds(200));
  CHECK(arrivals[1].time == nanoseconds(200) + microseconds(20));
}

TEST_CASE("a tail never leaves before it has come in") {
  Tree tree(200);  // NIC 2 sends at half the rate: 40 us for what leaves in 20
  tree.send(2, 0, SimTime{0});
  tree.run_by_messages();
  CHECK(tree.bed.trains(tree.nic[0])[0].time == nanoseconds(710) + microseconds(20));
}

TEST_CASE("switches are left out, messages are whole, and the result says so") {
  Tree tree;
  const Model whole = tree.bed.finish_model();
  const Model model = message_model(whole);
  CHECK(model.components.size() == 5);
  CHECK(model.component_name(ComponentId{3}) == "fabric0.part0");
  CHECK(model.component_name(ComponentId{4}) == "fabric0.part1");
  CHECK(model.resource<WholeMessages>());
  REQUIRE(model.remarks.size() == 1);
  CHECK(model.remarks[0].about == "messages");
  CHECK_THAT(model.remarks[0].text, Catch::Contains("3 switches are left out"));
  for (const LinkClass& link : model.link_classes) CHECK(link.grain == 4096);
  Model over_nvlink = whole;
  for (LinkClass& link : over_nvlink.link_classes) link.medium = "nvlink";
  CHECK(nvlink_grain(message_model(over_nvlink)) == 2048);
  for (LinkClass& link : over_nvlink.link_classes) link.grain = 3000;
  const Model longer = message_model(over_nvlink);
  CHECK(nvlink_grain(longer) == 3000);
  CHECK_THAT(longer.remarks[0].text, Catch::Contains("NVLinks take 3000 packets at a time"));
  CHECK(longer.resource<SendAhead>()->time == SimTime{1});  // control messages pass between packets
  over_nvlink.add(std::make_shared<const SendAhead>(SendAhead{microseconds(20)}));
  const Model ahead = message_model(over_nvlink);
  CHECK(ahead.resource<SendAhead>()->time == microseconds(20));
  CHECK_THAT(longer.remarks[0].text, !Catch::Contains("ahead"));
  CHECK_THAT(ahead.remarks[0].text, Catch::Contains("a busy line is given more for 20.000 us ahead"));
}

TEST_CASE("an address that the fabric does not lead to, and what no fabric by messages takes, are errors") {
  Tree tree;
  tree.bed.book().endpoints.push_back({1, Lid{7}, 0, 0});
  tree.bed.book().lid_count = 8;
  tree.send(0, 3, SimTime{0});
  CHECK_THROWS_WITH(tree.run_by_messages(), Catch::Contains("no route to endpoint 3"));
  Tree missing;
  missing.send(0, 77, SimTime{0});
  CHECK_THROWS_WITH(missing.run_by_messages(), Catch::Contains("destination endpoint 77 does not exist"));
  Tree odd;
  odd.bed.script(odd.nic[0], SimTime{0}, 0, to_payload(Frame{.kind = MessageKind::link_change}));
  CHECK_THROWS_WITH(odd.run_by_messages(), Catch::Contains("has neither buffers nor faults"));
}

TEST_CASE("a device with two cables to a fabric is refused") {
  Tree tree;
  tree.bed.connect(tree.nic[0], 1, tree.leaf[1], 1, 0);
  CHECK_THROWS_WITH(message_model(tree.bed.finish_model()),
                    Catch::Contains("one cable from a device to a fabric; gpu0 has several"));
}

TEST_CASE("optical switches are refused") {
  Tree tree;
  tree.bed.add(ocs_kind(), std::make_shared<OcsSpec>(), "ocs");
  CHECK_THROWS_WITH(message_model(tree.bed.finish_model()),
                    Catch::Contains("messages say nothing about optical switches"));
}

TEST_CASE("fabrics by messages beside others: the switches of their role go, trains stay as they are") {
  Tree tree;
  const ComponentId other = tree.add();  // of the front end
  SwitchRoute route;
  route.role = NicRole::frontend;
  tree.bed.route(other, route);
  const Model& whole = tree.bed.finish_model();
  const Model frontend = with_fabrics_by_messages(whole, {{{NicRole::frontend, {}}}});
  CHECK(frontend.components.size() == whole.components.size() - 1);
  CHECK(frontend.resource<RoutingTables>()->route_of.size() == 3);
  const Model compute = with_fabrics_by_messages(whole, {{{NicRole::compute, {}}}});
  CHECK(compute.components.size() == whole.components.size() - 1);
  REQUIRE(compute.resource<RoutingTables>()->route_of.size() == 1);
  CHECK(compute.resource<RoutingTables>()
            ->routes[compute.resource<RoutingTables>()->route_of.begin()->second]
            .role == NicRole::frontend);
  CHECK_FALSE(compute.resource<WholeMessages>());
  for (const LinkClass& link : compute.link_classes) CHECK(link.grain == (link.medium == "path" ? 1 : 16));
  REQUIRE(compute.remarks.size() == 1);
  CHECK_THAT(compute.remarks[0].text,
             Catch::Contains("the fabric for compute") && Catch::Contains("3 switches"));
}

TEST_CASE("nobody counts on the links of a fabric by messages") {
  Tree tree;
  tree.send(0, 2, SimTime{0}, 4096);
  tree.bed.finish_model() = with_fabrics_by_messages(tree.bed.finish_model(), {{{NicRole::compute, {}}}});
  tree.bed.run();
  REQUIRE(tree.bed.trains(tree.nic[2]).size() == 1);
  CHECK(tree.bed.trains(tree.nic[2])[0].time == nanoseconds(710));
}
